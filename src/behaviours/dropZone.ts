/**
 * Takes files that are dropped on an element; the first one counts. While a file hangs over it, the element carries
 * `data-dragging`, for styles. Returns a ref callback with its own undo.
 */
export function dropZone(onFile: (file: File) => void): (element: HTMLElement) => () => void {
  return (element) => {
    // Children fire enter and leave as well: the element is left when all that was entered is.
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
      const file = event.dataTransfer?.files[0];
      if (file) onFile(file);
    };
    element.addEventListener('dragenter', enter);
    element.addEventListener('dragleave', leave);
    element.addEventListener('dragover', over);
    element.addEventListener('drop', drop);
    return () => {
      element.removeEventListener('dragenter', enter);
      element.removeEventListener('dragleave', leave);
      element.removeEventListener('dragover', over);
      element.removeEventListener('drop', drop);
    };
  };
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
