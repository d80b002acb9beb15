import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const SIDE = 240
const RAYS = 36
const RINGS = 5
const INNER = 40
const OUTER = 112

/**
 * A round picture as WeChat draws the code of a mini-program, rays and dots around a middle: of the same text always the
 * same. It is to be looked at; no camera reads it. PNG, greyscale.
 */
export function codePicture(text: string): Buffer {
  const bits = createHash('sha512').update(text).digest()
  const isDark = (ray: number, ring: number) => {
    const at = ray * RINGS + ring
    return ((bits[(at >> 3) % bits.length]! >> (at & 7)) & 1) === 1
  }
  const rows: Buffer[] = []
  for (let y = 0; y < SIDE; y++) {
    // Each line begins with its filter: none.
    const row = Buffer.alloc(SIDE + 1, 255)
    row[0] = 0
    for (let x = 0; x < SIDE; x++) {
      const [dx, dy] = [x - SIDE / 2 + 0.5, y - SIDE / 2 + 0.5]
      const far = Math.hypot(dx, dy)
      const turn = ((Math.atan2(dy, dx) / Math.PI + 1) / 2) * RAYS
      const ray = Math.floor(turn) % RAYS
      const ring = Math.floor(((far - INNER) / (OUTER - INNER)) * RINGS)
      const isRay = ring >= 0 && ring < RINGS && Math.abs(turn - Math.floor(turn) - 0.5) < 0.28
      if ((isRay && isDark(ray, ring)) || (far < INNER - 12 && far > INNER - 20)) row[x + 1] = 0
    }
    rows.push(row)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(SIDE, 0)
  head.writeUInt32BE(SIDE, 4)
  head[8] = 8
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
