import { useState } from "react";
import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { draw } from "./lib/react-page.jsx";

const style = (transform, transition) => ({
  transform: transform && `translate3d(${transform.x}px, ${transform.y}px, 0)`,
  transition, border: "1px solid", padding: 12, margin: 6, listStyle: "none", touchAction: "none",
});

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  return <li ref={setNodeRef} style={style(transform, transition)} {...attributes} {...listeners}>{id}</li>;
}

function Tasks() {
  const [order, setOrder] = useState(["Write", "Review", "Test", "Release"]);
  const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  window.model = () => order;
  const drop = ({ active, over }) => {
    if (over && active.id !== over.id) setOrder((items) => arrayMove(items, items.indexOf(active.id), items.indexOf(over.id)));
  };
  return (
    <>
      <h1>Tasks</h1>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
        <SortableContext items={order} strategy={verticalListSortingStrategy}>
          <ul style={{ padding: 0, width: 300 }}>{order.map((id) => <Item key={id} id={id} />)}</ul>
        </SortableContext>
      </DndContext>
    </>
  );
}
draw(<Tasks />);
