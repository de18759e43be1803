import { useState } from "react";
import Select from "react-select";
import { draw } from "./lib/react-page.jsx";

const option = (label) => ({ value: label.toLowerCase(), label });
const colours = ["Red", "Green", "Blue", "Yellow"].map(option);
const tags = ["Urgent", "Later", "Home", "Work"].map(option);

function Choices() {
  const [colour, setColour] = useState(colours[0]);
  const [chosen, setChosen] = useState([tags[0]]);
  window.model = () => ({ colour: colour?.value ?? null, tags: chosen.map(({ value }) => value) });
  return (
    <>
      <h1>Choices</h1>
      <p id="colour">Colour</p>
      <Select aria-labelledby="colour" options={colours} value={colour} onChange={setColour} />
      <p><label htmlFor="tags">Tags</label></p>
      <Select inputId="tags" isMulti options={tags} value={chosen} onChange={setChosen} />
    </>
  );
}
draw(<Choices />);
