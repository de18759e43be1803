// Notifications of the desktop, for those who allowed them.

export function canAskToNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'default';
}

export async function askToNotify(): Promise<void> {
  await Notification.requestPermission();
}

export function notify(title: string, body: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const notification = new Notification(title, { body, tag: title });
  notification.onclick = () => window.focus();
}
