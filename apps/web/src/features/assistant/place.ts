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
