/** A place in WGS 84, degrees. */
export interface Place {
  lng: number
  lat: number
}

/** What is seen: the place in the middle, and how many degrees of longitude the width shows. */
export interface MapView {
  lng: number
  lat: number
  span: number
}

/** The world is drawn as a square of this many units (Web Mercator). */
export const WORLD = 3600
/** Mercator ends here. */
const MAX_LAT = 85.0511
/** About a kilometre: the track of a walk is still a line. */
export const MIN_SPAN = 0.01
export const MAX_SPAN = 180
/** Of the equator, km. */
const EQUATOR_KM = 40_075

/** Units from the left and from the top. */
export function project({ lng, lat }: Place): [x: number, y: number] {
  const bound = Math.min(MAX_LAT, Math.max(-MAX_LAT, lat))
  const y = Math.log(Math.tan(Math.PI / 4 + (bound * Math.PI) / 360))
  return [((lng + 180) / 360) * WORLD, (0.5 - y / (2 * Math.PI)) * WORLD]
}

/** The place at these units; longitudes beyond the edge come back at the other side. */
export function unproject(x: number, y: number): Place {
  const lng = (x / WORLD) * 360 - 180
  const lat = (Math.atan(Math.exp((0.5 - y / WORLD) * 2 * Math.PI)) * 360) / Math.PI - 90
  return { lng: ((((lng + 180) % 360) + 360) % 360) - 180, lat: Math.min(MAX_LAT, Math.max(-MAX_LAT, lat)) }
}

/** Pixels of one unit in a window so wide. */
export const scaleOf = (view: MapView, width: number) => width / ((view.span / 360) * WORLD)

/** Where a place stands in the window, px from its left upper corner. */
export function pixelOf(place: Place, view: MapView, width: number, height: number): [x: number, y: number] {
  const scale = scaleOf(view, width)
  const [x, y] = project(place)
  const [cx, cy] = project(view)
  return [aside(x - cx) * scale + width / 2, (y - cy) * scale + height / 2]
}

/** Units aside, by the shorter way around the world: what lies across 180 degrees is as near as it looks. */
const aside = (units: number) => units - WORLD * Math.round(units / WORLD)

/** The place under a pixel of the window: `pixelOf` backwards. */
export function placeAt(x: number, y: number, view: MapView, width: number, height: number): Place {
  const scale = scaleOf(view, width)
  const [cx, cy] = project(view)
  return unproject(cx + (x - width / 2) / scale, cy + (y - height / 2) / scale)
}

/** A part of the world, degrees; one that lies across 180 degrees has its west east of its east. */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}

/** The part of the world between two opposite corners, px, given in either order. */
export function boxBetween(
  [x, y, x2, y2]: readonly [x: number, y: number, x2: number, y2: number],
  view: MapView,
  width: number,
  height: number,
): Box {
  const upper = placeAt(Math.min(x, x2), Math.min(y, y2), view, width, height)
  const lower = placeAt(Math.max(x, x2), Math.max(y, y2), view, width, height)
  return { west: upper.lng, south: lower.lat, east: lower.lng, north: upper.lat }
}

/** The part of the world in the window; one that lies across 180 degrees has its west east of its east. */
export function partOf(
  view: MapView,
  width: number,
  height: number,
): { west: number; south: number; east: number; north: number } {
  const scale = scaleOf(view, width)
  const [cx, cy] = project(view)
  const whole = view.span >= 360
  const left = unproject(cx - width / 2 / scale, Math.max(0, cy - height / 2 / scale))
  const right = unproject(cx + width / 2 / scale, Math.min(WORLD, cy + height / 2 / scale))
  return { west: whole ? -180 : left.lng, east: whole ? 180 : right.lng, north: left.lat, south: right.lat }
}

/** The view after a drag by so many pixels. */
export function dragged(view: MapView, dx: number, dy: number, width: number): MapView {
  const scale = scaleOf(view, width)
  const [x, y] = project(view)
  return { ...unproject(x - dx / scale, y - dy / scale), span: view.span }
}

/** By how many pixels what was drawn for a view moves in a drag to the next one: up and down the map has ends. */
export function draggedPixels(view: MapView, next: MapView, dx: number, width: number): [x: number, y: number] {
  return [dx, (project(view)[1] - project(next)[1]) * scaleOf(view, width)]
}

/** The view closer (factor below 1) or wider, the middle stays. */
export const zoomedView = (view: MapView, factor: number): MapView => ({
  ...view,
  span: Math.min(MAX_SPAN, Math.max(MIN_SPAN, view.span * factor)),
})

/** A round length that fits into so many pixels, for a scale bar. */
export function scaleBar(view: MapView, width: number, room: number): { km: number; px: number } {
  const kmPerPx = ((view.span / 360) * EQUATOR_KM * Math.cos((view.lat * Math.PI) / 180)) / width
  const most = kmPerPx * room
  const power = 10 ** Math.floor(Math.log10(most))
  const km = [5, 2, 1].map(step => step * power).find(each => each <= most) ?? power
  return { km, px: km / kmPerPx }
}
