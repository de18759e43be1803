import { useState } from "react";
import { BrowserRouter, Link, NavLink, Route, Routes, useNavigate, useParams } from "react-router";
import { draw } from "./lib/react-page.jsx";

if (!location.pathname.startsWith("/router/")) history.replaceState(null, "", "/router/");

function Contact({ people, rename }) {
  const { id } = useParams();
  const navigate = useNavigate();
  const [name, setName] = useState(people[id]);
  const save = (event) => {
    event.preventDefault();
    rename(id, name);
    navigate("/people");
  };
  return (
    <form onSubmit={save}>
      <h1>Contact {Number(id) + 1}</h1>
      <label>Name <input value={name} onChange={(event) => setName(event.target.value)} /></label> <button>Save</button>
    </form>
  );
}

const People = ({ people }) => (
  <>
    <h1>People</h1>
    <ul>{people.map((name, at) => <li key={at}>{name} <Link to={`/people/${at}`}>Edit</Link></li>)}</ul>
  </>
);

function Contacts() {
  const [people, setPeople] = useState(["Ada Lovelace", "Alan Turing", "Grace Hopper"]);
  const rename = (id, name) => setPeople((old) => old.map((other, at) => (at === Number(id) ? name : other)));
  window.model = () => ({ path: location.pathname, people });
  return (
    <BrowserRouter basename="/router">
      <nav><NavLink to="/">Home</NavLink> <NavLink to="/people">People</NavLink></nav>
      <Routes>
        <Route path="/" element={<h1>Home</h1>} />
        <Route path="/people" element={<People people={people} />} />
        <Route path="/people/:id" element={<Contact people={people} rename={rename} />} />
      </Routes>
    </BrowserRouter>
  );
}
draw(<Contacts />);
