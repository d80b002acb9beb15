import type { Place } from './panel-state.ts'

/** Sizes in px. */
export interface Size {
  width: number
  height: number
}
export interface Box extends Place, Size {}

/** Diameter of the button. */
export const BALL = 48
/** Width of the window (specification §9). */
export const WINDOW_WIDTH = 460
const WINDOW_HEIGHT = 680
/** Height of the console's header, which stays free where there is room. */
const HEADER = 60
/** The least that stays free between a thing and the edge of the screen. */
export const EDGE = 8

/** The place moved as little as needed so that the whole thing is on the screen. */
export function inside(place: Place, size: Size, screen: Size): Place {
  const within = (at: number, length: number, all: number) => Math.max(EDGE, Math.min(at, all - length - EDGE))
  return { x: within(place.x, size.width, screen.width), y: within(place.y, size.height, screen.height) }
}

/** The half of the screen in which the middle of a thing lies. */
export function sideOf({ x, width }: Pick<Box, 'x' | 'width'>, screen: Size): 'left' | 'right' {
  return x + width / 2 < screen.width / 2 ? 'left' : 'right'
}

/** Size of the window while it floats or is docked: as high as there is room. */
export function windowSize(screen: Size): Size {
  return {
    width: Math.min(WINDOW_WIDTH, screen.width),
    height: Math.max(320, Math.min(WINDOW_HEIGHT, screen.height - 2 * EDGE)),
  }
}

/** Where the window floats when it is opened: over the button, towards the middle of the screen. */
export function besideBall(ball: Place, screen: Size): Place {
  const size = windowSize(screen)
  const right = sideOf({ x: ball.x, width: BALL }, screen) === 'right'
  const x = right ? ball.x + BALL - size.width : ball.x
  return inside({ x, y: Math.max(HEADER + EDGE, ball.y + BALL - size.height) }, size, screen)
}

/** Where the button stands until it was moved. */
export function firstPlace(screen: Size): Place {
  return inside({ x: screen.width - BALL - 20, y: screen.height - BALL - 88 }, { width: BALL, height: BALL }, screen)
}

/** What can be seen of the page, scroll bars left out. */
export function screenSize(): Size {
  return { width: document.documentElement.clientWidth, height: window.innerHeight }
}

const overlaps = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/** The place moved beside what must stay clear, the shortest way; where it is, when there is no room beside it. */
export function clearOf(place: Place, size: Size, kept: Box | null, screen: Size): Place {
  if (!kept || !overlaps({ ...place, ...size }, kept)) return place
  const gap = 2 * EDGE
  const beside: Place[] = [
    { x: kept.x - gap - size.width, y: place.y },
    { x: kept.x + kept.width + gap, y: place.y },
    { x: place.x, y: kept.y - gap - size.height },
    { x: place.x, y: kept.y + kept.height + gap },
  ]
  const fits = (at: Place) => {
    const within = inside(at, size, screen)
    return within.x === at.x && within.y === at.y
  }
  const way = (at: Place) => Math.abs(at.x - place.x) + Math.abs(at.y - place.y)
  return beside.filter(fits).sort((a, b) => way(a) - way(b))[0] ?? place
}

/** Distance between the places that are tried along an edge, px. */
const SPOT_STEP = 16

/** Where the button may stand instead: along its side of the screen, the nearest first, then along the lower edge. */
function spotsAlong(home: Place, screen: Size): Place[] {
  const lowest = screen.height - BALL - EDGE
  const column: Place[] = []
  for (let y = home.y % SPOT_STEP; y <= lowest; y += SPOT_STEP) if (y >= HEADER + EDGE) column.push({ x: home.x, y })
  column.push({ x: home.x, y: lowest })
  column.sort((a, b) => Math.abs(a.y - home.y) - Math.abs(b.y - home.y))
  const row: Place[] = []
  for (let x = home.x; x >= EDGE; x -= SPOT_STEP) row.push({ x, y: lowest })
  return [...column, ...row]
}

/**
 * Where the button stands so that it covers nothing: at home when nothing is there, else where it is `now` as long as
 * that is free, else at the nearest free place along its edge; at home when there is none.
 */
export function freeSpot(home: Place, now: Place, screen: Size, covers: (place: Place) => boolean): Place {
  if (!covers(home)) return home
  const within = inside(now, { width: BALL, height: BALL }, screen)
  if (within.x === now.x && within.y === now.y && !covers(now)) return now
  return spotsAlong(home, screen).find(place => !covers(place)) ?? home
}
