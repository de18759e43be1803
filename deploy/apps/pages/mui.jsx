import { useState } from "react";
import {
  Alert, Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle,
  FormControl, FormControlLabel, FormLabel, InputLabel, MenuItem, Radio, RadioGroup, Rating, Select, Slider, Snackbar,
  Stack, Switch, TextField, Typography,
} from "@mui/material";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DatePicker } from "@mui/x-date-pickers/DatePicker";
import dayjs from "dayjs";
import { draw } from "./lib/react-page.jsx";

const cities = ["Amsterdam", "Berlin", "Bern", "Copenhagen", "Dublin"];

function Settings() {
  const [state, setState] = useState({
    name: "Ada", notes: "", country: "de", plan: "free", mail: false, terms: false, volume: 30, stars: 2, city: null,
    birthday: dayjs("2024-03-10"), deleted: false, saved: false,
  });
  const [asking, setAsking] = useState(false);
  const set = (name) => (value) => setState((old) => ({ ...old, [name]: value }));
  const text = (name) => ({ value: state[name], onChange: (event) => set(name)(event.target.value) });
  window.model = () => ({ ...state, birthday: state.birthday?.isValid() ? state.birthday.format("YYYY-MM-DD") : null });
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <Stack spacing={3} sx={{ maxWidth: 420 }}>
        <Typography variant="h4" component="h1">Settings</Typography>
        <TextField label="Name" required {...text("name")} />
        <TextField label="Notes" multiline minRows={2} {...text("notes")} />
        <FormControl>
          <InputLabel id="country-label">Country</InputLabel>
          <Select labelId="country-label" label="Country" {...text("country")}>
            <MenuItem value="de">Germany</MenuItem>
            <MenuItem value="nl">Netherlands</MenuItem>
            <MenuItem value="ch">Switzerland</MenuItem>
          </Select>
        </FormControl>
        <FormControl>
          <FormLabel id="plan-label">Plan</FormLabel>
          <RadioGroup aria-labelledby="plan-label" row {...text("plan")}>
            <FormControlLabel value="free" control={<Radio />} label="Free" />
            <FormControlLabel value="team" control={<Radio />} label="Team" />
          </RadioGroup>
        </FormControl>
        <FormControlLabel label="Email me" control={<Switch checked={state.mail} onChange={(event) => set("mail")(event.target.checked)} />} />
        <FormControlLabel label="I accept the terms" control={<Checkbox checked={state.terms} onChange={(event) => set("terms")(event.target.checked)} />} />
        <Slider aria-label="Volume" value={state.volume} onChange={(_, value) => set("volume")(value)} valueLabelDisplay="auto" />
        <Rating name="stars" value={state.stars} onChange={(_, value) => set("stars")(value)} />
        <Autocomplete options={cities} value={state.city} onChange={(_, value) => set("city")(value)} renderInput={(parameters) => <TextField {...parameters} label="City" />} />
        <DatePicker label="Birthday" value={state.birthday} onChange={set("birthday")} />
        <Stack direction="row" spacing={2}>
          <Button variant="contained" onClick={() => set("saved")(true)}>Save</Button>
          <Button color="error" onClick={() => setAsking(true)}>Delete account</Button>
        </Stack>
      </Stack>
      <Dialog open={asking} onClose={() => setAsking(false)}>
        <DialogTitle>Delete the account?</DialogTitle>
        <DialogContent><DialogContentText>Everything in it is lost.</DialogContentText></DialogContent>
        <DialogActions>
          <Button onClick={() => setAsking(false)}>Cancel</Button>
          <Button onClick={() => { set("deleted")(true); setAsking(false); }}>Delete</Button>
        </DialogActions>
      </Dialog>
      <Snackbar open={state.saved} autoHideDuration={6000} onClose={() => {}}>
        <Alert severity="success">Settings saved</Alert>
      </Snackbar>
    </LocalizationProvider>
  );
}
draw(<Settings />);
