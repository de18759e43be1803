import { useState } from "react";
import DatePicker from "react-datepicker";
import "react-datepicker/dist/react-datepicker.css";
import { draw } from "./lib/react-page.jsx";

const iso = (date) => date && new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

function Booking() {
  const [arrival, setArrival] = useState(new Date(2026, 4, 14));
  const [nights, setNights] = useState("2");
  window.model = () => ({ arrival: iso(arrival), nights });
  return (
    <>
      <h1>Booking</h1>
      <p><label htmlFor="arrival">Arrival </label><DatePicker id="arrival" selected={arrival} onChange={setArrival} dateFormat="yyyy-MM-dd" /></p>
      <p><label>Nights <input type="number" value={nights} onChange={(event) => setNights(event.target.value)} /></label></p>
    </>
  );
}
draw(<Booking />);
