import { useSelector } from '@xstate/react';
import { FileAudio } from 'lucide-react';
import { FilePicker } from '../fields/FilePicker.tsx';
import { formatBytes } from '../../ui/format.ts';
import { useUpload } from '../state.ts';
import { FILE_CARD_ID, PICKER_ID } from './ids.ts';

/** Chooses a file. Files can be dropped anywhere below the tabs. */
export function FileArea() {
  const upload = useUpload();
  const maxBytes = useSelector(upload, ({ context }) => context.maxUploadBytes);
  return (
    <div className="file-area" data-next={FILE_CARD_ID}>
      <div className="file-area-sign" aria-hidden>
        <FileAudio size={22} />
      </div>
      <div>
        <p>Drop a recording here</p>
        <p id="file-limits">{`Audio, or video with sound, up to ${formatBytes(maxBytes)}`}</p>
      </div>
      <FilePicker
        id={PICKER_ID}
        label="Choose file"
        describedBy="file-limits"
        onFile={(file) => upload.send({ type: 'file.chosen', file })}
      />
    </div>
  );
}
