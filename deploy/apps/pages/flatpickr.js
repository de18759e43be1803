import flatpickr from "flatpickr";
import "flatpickr/dist/flatpickr.css";

document.body.insertAdjacentHTML("afterbegin", `
  <h1>Trip</h1>
  <p><label>Departure <input id="departure"></label></p>
  <p><label>Time <input id="time"></label></p>`);
const departure = flatpickr("#departure", { defaultDate: "2026-05-14", disableMobile: true });
const time = flatpickr("#time", { enableTime: true, noCalendar: true, dateFormat: "H:i", time_24hr: true, defaultDate: "09:30", disableMobile: true });
window.model = () => ({
  departure: departure.selectedDates[0] ? flatpickr.formatDate(departure.selectedDates[0], "Y-m-d") : null,
  time: time.selectedDates[0] ? flatpickr.formatDate(time.selectedDates[0], "H:i") : null,
});
