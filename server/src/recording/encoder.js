(() => {
  // Draws the pointer into frames, and encodes them.
  if (globalThis.browseFilm) return;
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d', { alpha: false });
  let image = null;
  const arrow = new Path2D('M0 0 L0 17 L4 13.2 L6.6 19.4 L9.2 18.3 L6.6 12.2 L12 12.2 Z');
  const draw = async (width, height, jpeg, view, pointer) => {
    if (jpeg !== null) {
      const next = new Image();
      next.src = `data:image/jpeg;base64,${jpeg}`;
      await next.decode();
      image = next;
    }
    if (image === null) return '';
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = '#000';
    pen.fillRect(0, 0, width, height);
    const scale = Math.min(width / image.naturalWidth, height / image.naturalHeight);
    const size = [image.naturalWidth * scale, image.naturalHeight * scale];
    pen.drawImage(image, 0, 0, size[0], size[1]);
    if (pointer !== null) {
      const across = size[0] / view.width;
      pen.setTransform(across, 0, 0, across, pointer.x * across, pointer.y * across);
      if (pointer.pressed) {
        pen.beginPath();
        pen.arc(0, 0, 16, 0, 7);
        pen.fillStyle = 'rgba(255, 170, 0, 0.55)';
        pen.fill();
      }
      pen.lineWidth = 3;
      pen.strokeStyle = '#fff';
      pen.stroke(arrow);
      pen.fillStyle = '#000';
      pen.fill(arrow);
    }
    const url = canvas.toDataURL('image/webp', 0.8);
    return url.slice(url.indexOf(',') + 1);
  };
  Object.defineProperty(globalThis, 'browseFilm', { value: Object.freeze({ draw }) });
})();
