(() => {
  // Draws the pointer into frames, and encodes them.
  if (globalThis.browseFilm) return;
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d', { alpha: false });
  let image = null;
  const arrow = new Path2D('M0 0 L0 17 L4 13.2 L6.6 19.4 L9.2 18.3 L6.6 12.2 L12 12.2 Z');
  // A ring that grows and fades where the mouse was pressed; `age` goes from 0 to 1.
  const ring = (age) => {
    pen.beginPath();
    pen.arc(0, 0, 8 + 22 * age, 0, 7);
    pen.lineWidth = 4;
    pen.strokeStyle = `rgba(255, 120, 0, ${(0.9 * (1 - age)).toFixed(3)})`;
    pen.stroke();
  };
  const caption = (width, height, text) => {
    const size = Math.max(14, Math.round(height / 40));
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.font = `600 ${size}px sans-serif`;
    pen.textBaseline = 'middle';
    let shown = text;
    while (shown.length > 1 && pen.measureText(shown).width > width - 4 * size) shown = `${shown.replace(/…$/, '').slice(0, -1)}…`;
    const [wide, high] = [pen.measureText(shown).width + 2 * size, 2 * size];
    pen.fillStyle = 'rgba(20, 20, 20, 0.82)';
    pen.fillRect((width - wide) / 2, height - high - size, wide, high);
    pen.fillStyle = '#fff';
    pen.fillText(shown, (width - wide) / 2 + size, height - size - high / 2);
  };
  const draw = async (width, height, jpeg, view, pointer, text) => {
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
      if (pointer.pressed) ring(0.3);
      else if (pointer.age < 1) ring(pointer.age);
      pen.lineWidth = 3;
      pen.strokeStyle = '#fff';
      pen.stroke(arrow);
      pen.fillStyle = '#000';
      pen.fill(arrow);
    }
    if (text) caption(width, height, text);
    const url = canvas.toDataURL('image/webp', 0.8);
    return url.slice(url.indexOf(',') + 1);
  };
  Object.defineProperty(globalThis, 'browseFilm', { value: Object.freeze({ draw }) });
})();
