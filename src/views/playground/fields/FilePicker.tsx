import { FolderOpen } from 'lucide-react';

type Props = {
  id: string;
  label: string;
  onFile: (file: File) => void;
  isDisabled?: boolean;
  describedBy?: string;
};

/** A native file input that looks like a button. Accepts audio and video files. */
export function FilePicker({ id, label, onFile, isDisabled = false, describedBy }: Props) {
  return (
    <div className="file-picker">
      <input
        type="file"
        className="sr-only"
        id={id}
        accept="audio/*,video/*"
        disabled={isDisabled}
        {...(describedBy ? { 'aria-describedby': describedBy } : {})}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file) onFile(file);
          // Otherwise choosing the same file again would fire no event.
          currentTarget.value = '';
        }}
      />
      <label htmlFor={id}>
        <FolderOpen size={16} aria-hidden />
        <span>{label}</span>
      </label>
    </div>
  );
}
