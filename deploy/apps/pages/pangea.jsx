import { useState } from "react";
import { DragDropContext, Draggable, Droppable } from "@hello-pangea/dnd";
import { draw } from "./lib/react-page.jsx";

function Column({ name, cards }) {
  return (
    <section style={{ width: 260, border: "1px solid", padding: 8 }}>
      <h2>{name}</h2>
      <Droppable droppableId={name}>
        {({ innerRef, droppableProps, placeholder }) => (
          <div ref={innerRef} {...droppableProps} style={{ minHeight: 80 }}>
            {cards.map((card, index) => (
              <Draggable key={card} draggableId={card} index={index}>
                {({ innerRef: card0, draggableProps, dragHandleProps }) => (
                  <div ref={card0} {...draggableProps} {...dragHandleProps} style={{ ...draggableProps.style, border: "1px solid", padding: 10, marginBottom: 6, background: "#fff" }}>
                    {card}
                  </div>
                )}
              </Draggable>
            ))}
            {placeholder}
          </div>
        )}
      </Droppable>
    </section>
  );
}

function Board() {
  const [columns, setColumns] = useState({ Open: ["Login page", "Search"], Done: ["Logo"] });
  window.model = () => columns;
  const drop = ({ source, destination }) => {
    if (!destination) return;
    setColumns((old) => {
      const next = Object.fromEntries(Object.entries(old).map(([name, cards]) => [name, [...cards]]));
      const [card] = next[source.droppableId].splice(source.index, 1);
      next[destination.droppableId].splice(destination.index, 0, card);
      return next;
    });
  };
  return (
    <>
      <h1>Board</h1>
      <DragDropContext onDragEnd={drop}>
        <div style={{ display: "flex", gap: 16 }}>{Object.entries(columns).map(([name, cards]) => <Column key={name} name={name} cards={cards} />)}</div>
      </DragDropContext>
    </>
  );
}
draw(<Board />);
