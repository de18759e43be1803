import IMask from "imask";
import { useEffect, useRef, useState } from "react";
import { draw } from "./lib/react-page.jsx";

function Masked({ label, mask, initial, report }) {
  const input = useRef(null);
  useEffect(() => {
    const masked = IMask(input.current, mask);
    masked.unmaskedValue = initial;
    report(masked);
    return () => masked.destroy();
  }, []);
  return <p><label>{label} <input ref={input} /></label></p>;
}

/** Controlled: what is shown is always made anew from the state. */
function Card() {
  const [digits, setDigits] = useState("");
  Card.digits = digits;
  const shown = digits.replace(/(.{4})(?=.)/g, "$1 ");
  return <p><label>Card number <input value={shown} onChange={(event) => setDigits(event.target.value.replace(/\D/g, "").slice(0, 16))} /></label></p>;
}

/** An entered word becomes a chip beside the field, which is empty then. */
function Tags() {
  const [tags, setTags] = useState([]);
  const [word, setWord] = useState("");
  Tags.model = () => ({ tags, word });
  const change = (event) => {
    const words = event.target.value.split(",");
    setWord(words.pop());
    setTags((all) => [...all, ...words.filter(Boolean)]);
  };
  return <p>{tags.map((tag) => <b key={tag}>[{tag}] </b>)}<label>Tags <input value={word} onChange={change} /></label></p>;
}

const masks = {};
window.model = () => ({ phone: masks.phone.value, price: masks.price.value, card: Card.digits, ...Tags.model() });
draw(
  <>
    <h1>Masks</h1>
    <Masked label="Phone" mask={{ mask: "+{49} 000 000000" }} initial="301234567" report={(mask) => { masks.phone = mask; }} />
    <Masked label="Price" mask={{ mask: Number, thousandsSeparator: ",", radix: "." }} initial="1500" report={(mask) => { masks.price = mask; }} />
    <Card />
    <Tags />
  </>,
);
