import { useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { draw } from "./lib/react-page.jsx";

const empty = { name: "", email: "", coupon: "", size: "m", date: "2026-05-14", colour: "#336699", amount: 3, terms: false, delivery: "post", message: "" };
const check = {
  name: { required: "Enter your name" },
  email: { required: "Enter an email address", pattern: { value: /^\S+@\S+\.\S+$/, message: "This is not an email address" } },
};

function Order() {
  const { register, control, handleSubmit, getValues, formState: { errors } } = useForm({ defaultValues: empty });
  const [sent, setSent] = useState([]);
  window.model = () => ({ values: getValues(), sent });
  const invalid = (name) => ({ "aria-invalid": errors[name] ? "true" : "false", "aria-describedby": `${name}-error` });
  const problem = (name) => errors[name] && <span role="alert" id={`${name}-error`}>{errors[name].message}</span>;
  return (
    <form noValidate onSubmit={handleSubmit((values) => setSent((all) => [...all, values]))}>
      <h1>Order</h1>
      <p><label>Name <Controller name="name" control={control} rules={check.name} render={({ field }) => <input {...field} {...invalid("name")} />} /></label> {problem("name")}</p>
      <p><label>Email <input {...register("email", check.email)} {...invalid("email")} /></label> {problem("email")}</p>
      <p><label>Coupon <Controller name="coupon" control={control} render={({ field }) => <input {...field} onChange={(event) => field.onChange(event.target.value.toUpperCase())} />} /></label></p>
      <p><label>Size <select {...register("size")}><option value="s">Small</option><option value="m">Medium</option><option value="l">Large</option></select></label></p>
      <p><label>Date <input type="date" {...register("date")} /></label></p>
      <p><label>Colour <input type="color" {...register("colour")} /></label></p>
      <p><label>Amount <input type="range" min="0" max="10" {...register("amount", { valueAsNumber: true })} /></label></p>
      <fieldset>
        <legend>Delivery</legend>
        <label><input type="radio" value="post" {...register("delivery")} /> By post</label>
        <label><input type="radio" value="shop" {...register("delivery")} /> In the shop</label>
      </fieldset>
      <p><label><input type="checkbox" {...register("terms")} /> I accept the terms</label></p>
      <p><label>Message <textarea {...register("message")} /></label></p>
      <button>Send order</button>
      {sent.length > 0 && <p role="status">Order {sent.length} sent</p>}
    </form>
  );
}
draw(<Order />);
