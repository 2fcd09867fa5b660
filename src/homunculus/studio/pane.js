// The pane of the picture: choose, drop or paste a file, click to look. Runs once, when it is shown.
const plain = (text) => String(text).replace(/[&<>"'`$]/g, (one) => `&#${one.charCodeAt(0)};`);
const set = (change) => { props.value = { ...(props.value || {}), ...change }; };

async function send(file) {
  if (!file) return;
  const name = plain(file.name || "The picture");
  set({ busy: `Reading ${name} ...`, error: "" });
  let told;
  try {
    const reply = await fetch("picture", { method: "POST", body: file });
    told = await reply.json();
  } catch {
    told = { error: "the studio does not answer. Is it still running?" };
  }
  if (told.error) {
    set({ busy: "", error: `${name}: ${plain(told.error)}` });
  } else {
    props.value = told;
    trigger("upload");
  }
}

// pages of a document can be looked through while all of them are asked
const whole = () => props.value.part === "page" && props.value.pages > 1 && !props.value.alone;

function turn(by) {
  const page = (props.value.page || 1) + by;
  if (page < 1 || page > props.value.pages) return;
  set({ page, point: null });
  if (!whole()) trigger("select");
}

const acts = {
  choose: () => element.querySelector(".file").click(),
  example: () => trigger("click"),
  forget: () => { set({ point: null }); trigger("select"); },
  back: () => turn(-1),
  next: () => turn(1),
  alone: () => { set({ alone: true }); trigger("select"); },
  all: () => { set({ alone: false, point: null }); trigger("select"); },
};

element.addEventListener("click", (event) => {
  const act = event.target.closest("[data-act]");
  if (act) return acts[act.dataset.act]();
  if (!event.target.classList.contains("source")) return;
  const box = event.target.getBoundingClientRect();
  const point = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  set({ alone: true, point: point.map((side) => Math.min(1, Math.max(0, side))) });
  trigger("select");
});
element.addEventListener("keydown", (event) => {
  const act = event.target.closest(".drop");
  if (act && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); acts.choose(); }
});
element.addEventListener("change", (event) => {
  if (event.target.classList.contains("file")) send(event.target.files[0]);
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  element.addEventListener(kind, (event) => {
    event.preventDefault();
    element.classList.toggle("over", kind === "dragenter" || kind === "dragover");
    if (kind === "drop") send(event.dataTransfer.files[0]);
  });
}
document.addEventListener("paste", (event) => {
  const file = [...event.clipboardData.files].find((one) => one.type.startsWith("image/"));
  if (file) send(file);
});
