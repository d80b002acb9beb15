import type uPlot from 'uplot'

/** A stretch of time that is shaded from top to bottom, such as an alarm. Epoch ms; `to` null: it still lasts. */
export interface ChartShade {
  from: number
  to: number | null
}

/** A value that is drawn as a dashed line with its name at the right edge. */
export interface ChartLimit {
  value: number
  label: string
  colour: string
}

export interface DrawnOver {
  shades?: readonly ChartShade[]
  limits?: readonly ChartLimit[]
}

const SHADE = 'rgba(207, 19, 34, 0.12)'
/** So narrow a stretch would not be seen. */
const LEAST_WIDTH = 2

/** Draws shades under the lines and limits over them, from whatever is given at the moment of drawing. */
export function drawnOver(given: () => DrawnOver): uPlot.Plugin {
  return {
    hooks: {
      drawAxes: self => {
        const { ctx, bbox } = self
        ctx.save()
        ctx.beginPath()
        ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
        ctx.clip()
        ctx.fillStyle = SHADE
        for (const { from, to } of given().shades ?? []) {
          const left = self.valToPos(from, 'x', true)
          const right = to === null ? bbox.left + bbox.width : self.valToPos(to, 'x', true)
          ctx.fillRect(left, bbox.top, Math.max(LEAST_WIDTH, right - left), bbox.height)
        }
        ctx.restore()
      },
      draw: self => {
        const { ctx, bbox } = self
        const ratio = bbox.width / Math.max(1, self.over.clientWidth)
        ctx.save()
        ctx.font = `${12 * ratio}px sans-serif`
        ctx.textAlign = 'right'
        ctx.lineWidth = ratio
        for (const { value, label, colour } of given().limits ?? []) {
          const y = self.valToPos(value, 'y', true)
          if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue
          ctx.strokeStyle = colour
          ctx.fillStyle = colour
          ctx.setLineDash([4 * ratio, 4 * ratio])
          ctx.beginPath()
          ctx.moveTo(bbox.left, y)
          ctx.lineTo(bbox.left + bbox.width, y)
          ctx.stroke()
          ctx.setLineDash([])
          ctx.textBaseline = y - bbox.top < 16 * ratio ? 'top' : 'bottom'
          ctx.fillText(label, bbox.left + bbox.width - 4 * ratio, y)
        }
        ctx.restore()
      },
    },
  }
}
