"""Orders that pages place at the site: `/orders?session=NAME` has buttons `#b0` to `#b499`, each of
which places the order of its number. A ledger has the orders, and the signs of life of each page.
"""

import dataclasses
import random
import threading
import time

BUTTONS = 500
# Seconds until an order is answered after it was noted: a fault then meets a click under way.
ORDER_TIME = 0.3
ORDERS = """<!doctype html><title>Orders</title><h1>Orders of NAME</h1><p id=count>0</p>
<script>
const post = (path, order) => fetch(path, {
  method: 'POST', body: JSON.stringify({ session: 'NAME', click: Math.random(), ...order }),
});
const place = async number => {
  await post('/order', { number });
  document.getElementById('count').textContent = number;
  localStorage.setItem('last', number);
};
for (let number = 0; number < COUNT; number++) {
  const button = document.createElement('button');
  Object.assign(button, { id: 'b' + number, textContent: number, onclick: () => place(number) });
  document.body.append(button);
}
setInterval(() => post('/beat', {}), 1000);
</script>"""


@dataclasses.dataclass
class Event:
    """What a page has sent: an order, or a sign of life (number None)."""

    at: float
    session: str
    # The address of the pod.
    address: str
    # The cookie that the first page of a session got.
    visit: str
    # Differs for each click, also for two on one button.
    click: float
    number: int | None = None


class Ledger:
    """What pages have sent, in the order in which it came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.all = []

    def add(self, event):
        with self.lock:
            self.all.append(event)

    def of(self, session):
        """The events of a session."""
        with self.lock:
            return [event for event in self.all if event.session == session]


LEDGER = Ledger()


def page(session):
    """The page with the buttons of a session."""
    return ORDERS.replace("NAME", session).replace("COUNT", str(BUTTONS)).encode()


def new_visit():
    """The cookie of a page that has none."""
    return f"visit={random.getrandbits(64):x}; Max-Age=86400"


def take(sent, address, visit):
    """Notes what a page has sent, and answers the cookie that its browser gets."""
    number = sent.get("number")
    LEDGER.add(Event(time.time(), sent["session"], address, visit, sent["click"], number))
    if number is None:
        return None
    time.sleep(ORDER_TIME)
    # Each order changes the state of the session, so that there is something to save.
    return f"last={number}; Max-Age=86400"
