import type { Box } from './document.ts'

/** Handles of a frame, by the points of the compass. */
export const HANDLES = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const
export type Handle = (typeof HANDLES)[number]

/** Where a frame goes when one of its handles is dragged. Shift keeps proportions, Alt keeps the middle. */
export function resized(box: Box, handle: Handle, dx: number, dy: number, keep: boolean, middle: boolean): Box {
  const west = handle.includes('w')
  const north = handle.includes('n')
  let w = Math.max(4, box.w + (handle.includes('e') ? dx : west ? -dx : 0) * (middle ? 2 : 1))
  let h = Math.max(4, box.h + (handle.includes('s') ? dy : north ? -dy : 0) * (middle ? 2 : 1))
  if (keep && box.w > 0 && box.h > 0) {
    const by =
      handle === 'n' || handle === 's'
        ? h / box.h
        : handle === 'e' || handle === 'w'
          ? w / box.w
          : Math.max(w / box.w, h / box.h)
    w = box.w * by
    h = box.h * by
  }
  return {
    x: middle ? box.x + (box.w - w) / 2 : west ? box.x + box.w - w : box.x,
    y: middle ? box.y + (box.h - h) / 2 : north ? box.y + box.h - h : box.y,
    w: Math.round(w),
    h: Math.round(h),
  }
}
