"use strict";
// Uploads are sent as they are, so that the server can stream them to disk; sliders and numbers follow each other.
function sendFile(box) {
  const input = box.querySelector("input[type=file]");
  const told = box.querySelector("[role=status]");
  const file = input.files[0];
  if (!file) { told.textContent = "Choose a file first."; return; }
  const request = new XMLHttpRequest();
  request.open("POST", "/upload/" + box.dataset.upload);
  request.setRequestHeader("X-Sfumato", "upload");
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.upload.onprogress = (event) => {
    if (event.lengthComputable) told.textContent = "Sending: " + Math.round(100 * event.loaded / event.total) + " %";
  };
  request.onerror = () => { told.textContent = "The upload was broken off."; };
  request.onload = () => {
    if (request.status !== 200) { told.textContent = request.responseText; return; }
    told.textContent = "Done.";
    location.assign(box.dataset.then + encodeURIComponent(JSON.parse(request.responseText).name));
  };
  told.textContent = "Sending …";
  request.send(file);
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-send]");
  if (button) sendFile(button.closest("[data-upload]"));
});
document.addEventListener("input", (event) => {
  const box = event.target.closest("[data-twins]");
  if (!box || event.target.dataset.follows === "1") return;
  for (const other of box.querySelectorAll("input")) {
    if (other === event.target || other.value === event.target.value) continue;
    other.value = event.target.value;
    if (event.target.type === "range") other.dispatchEvent(new Event("change"));
  }
});
