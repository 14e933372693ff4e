type DropEvents = {
  onFile: (file: File) => void;
  /** `several`: only the first file was taken; `folder`: nothing was. */
  onProblem: (problem: 'folder' | 'several') => void;
};

/**
 * Takes the first of the files dropped on an element. While a file is over it, the element has `data-dragging`, for
 * styles. Ignores files dropped elsewhere on the page, such as on a dialog; the browser would leave the page to open
 * them. A ref callback that returns its undo.
 */
export function dropZone({ onFile, onProblem }: DropEvents): (element: HTMLDivElement) => () => void {
  return (element) => {
    // Children fire enter and leave as well: the pointer has left when every enter has its leave.
    let depth = 0;
    const show = () => element.toggleAttribute('data-dragging', depth > 0);
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth += 1;
      show();
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      show();
    };
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Without this the browser opens the file instead.
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      show();
      const files = filesOf(event);
      if (files.length !== 1) onProblem(files.length === 0 ? 'folder' : 'several');
      if (files[0]) onFile(files[0]);
    };
    const missed = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
    };
    const page = element.ownerDocument;
    page.addEventListener('dragover', missed);
    page.addEventListener('drop', missed);
    element.addEventListener('dragenter', enter);
    element.addEventListener('dragleave', leave);
    element.addEventListener('dragover', over);
    element.addEventListener('drop', drop);
    return () => {
      page.removeEventListener('dragover', missed);
      page.removeEventListener('drop', missed);
      element.removeEventListener('dragenter', enter);
      element.removeEventListener('dragleave', leave);
      element.removeEventListener('dragover', over);
      element.removeEventListener('drop', drop);
    };
  };
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** The dropped files without folders, which browsers offer as unreadable files. */
function filesOf({ dataTransfer }: DragEvent): File[] {
  return [...(dataTransfer?.items ?? [])].flatMap((item) => {
    const file = item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory !== true ? item.getAsFile() : null;
    return file ? [file] : [];
  });
}
