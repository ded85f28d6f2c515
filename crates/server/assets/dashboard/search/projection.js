// The map's geometry: Web Mercator, and distances on the sphere.

const EARTH_METRES = 6_371_000;
const rad = (degrees) => (Number(degrees) * Math.PI) / 180;

/** A place on the unit square; latitudes beyond the usual edge of such maps are held there. */
export function project({ lat, lng }) {
  const sine = Math.sin(rad(Math.max(-85, Math.min(85, Number(lat)))));
  return { x: (Number(lng) + 180) / 360, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

export function unproject({ x, y }) {
  const lat = (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
  return { lat, lng: x * 360 - 180 };
}

/** Great-circle distance in metres. */
export function distance(a, b) {
  const [north, east] = [rad(b.lat) - rad(a.lat), rad(b.lng) - rad(a.lng)];
  const part =
    Math.sin(north / 2) ** 2 + Math.cos(rad(a.lat)) * Math.cos(rad(b.lat)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(part)));
}

/** A round number of degrees between lines, so that about `lines` of them cross `span`. */
export function lineStep(span, lines = 9) {
  const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45];
  return steps.find((step) => span / step <= lines) ?? 60;
}

/** A round length for a scale bar of at most `most` metres. */
export function roundLength(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((digit) => digit * power).find((length) => length <= most);
}
