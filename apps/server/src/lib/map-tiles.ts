/** Where maps take their tiles from, as the environment names it. */
export interface MapTiles {
  source: 'tianditu' | 'amap' | 'tencent' | 'own'
  /** Coordinates that the tiles are drawn in. */
  datum: 'wgs84' | 'gcj02'
  /** Addresses with {x}, {y} (from the north) or {-y} (from the south), {z} and {s}; each layer lies over the one before. */
  layers: string[]
  /** What {s} is, in turn. */
  servers: string[]
  /** The closest level there is. */
  levels: number
  /** What the contract with the service wants shown, e.g. the number of the map's approval. */
  note: string
}

type Known = Pick<MapTiles, 'datum' | 'layers' | 'servers'>

const tianditu = (layer: string, key: string) =>
  `https://t{s}.tianditu.gov.cn/${layer}_w/wmts?SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=${layer}&STYLE=default&TILEMATRIXSET=w&FORMAT=tiles&TILEMATRIX={z}&TILEROW={y}&TILECOL={x}&tk=${key}`

/** Tianditu is in CGCS2000, which differs from WGS 84 by centimetres; the others draw in GCJ-02. */
const KNOWN: Record<Exclude<MapTiles['source'], 'own'>, (key: string) => Known> = {
  tianditu: key => ({
    datum: 'wgs84',
    layers: [tianditu('vec', key), tianditu('cva', key)],
    servers: ['0', '1', '2', '3', '4', '5', '6', '7'],
  }),
  amap: () => ({
    datum: 'gcj02',
    layers: ['https://webrd0{s}.is.autonavi.com/appmaptile?lang=zh_cn&size=1&scale=1&style=8&x={x}&y={y}&z={z}'],
    servers: ['1', '2', '3', '4'],
  }),
  tencent: () => ({
    datum: 'gcj02',
    layers: ['https://rt{s}.map.gtimg.com/realtimerender?z={z}&x={x}&y={-y}&type=vector&style=0'],
    servers: ['0', '1', '2', '3'],
  }),
}
const LEVELS = 18

const TAKES = 'takes tianditu, amap, tencent or an address such as https://tiles.example.com/{z}/{x}/{y}.png?key={key}'

/**
 * Reads MAP_TILES, MAP_KEY, MAP_DATUM and MAP_NOTE.
 * @param wrong ends the start with a line; never given the key
 */
export function readMapTiles(env: NodeJS.ProcessEnv, wrong: (line: string) => never): MapTiles | null {
  const text = env.MAP_TILES?.trim()
  const [key, datum, note] = [env.MAP_KEY?.trim(), env.MAP_DATUM?.trim(), env.MAP_NOTE?.trim() ?? '']
  if (!text) {
    for (const variable of ['MAP_KEY', 'MAP_DATUM', 'MAP_NOTE'])
      if (env[variable]) wrong(`${variable}: is of no use without MAP_TILES, which ${TAKES}`)
    return null
  }
  if (note.length > 200) wrong(`MAP_NOTE: got ${note.length} characters, takes at most 200`)
  if (text === 'tianditu' || text === 'amap' || text === 'tencent') {
    if (datum) wrong(`MAP_DATUM: the coordinates of ${text} are known; unset it`)
    if (text !== 'tianditu' && key) wrong(`MAP_KEY: the tiles of ${text} take no key; unset it`)
    if (text === 'tianditu' && !/^[0-9A-Za-z]{16,64}$/.test(key ?? ''))
      wrong(
        `MAP_KEY: ${key ? 'not a key' : 'missing'}; with MAP_TILES=tianditu it takes the key that Tianditu gave (tk)`,
      )
    return { source: text, ...KNOWN[text](key ?? ''), levels: LEVELS, note }
  }
  if (datum && datum !== 'wgs84' && datum !== 'gcj02')
    wrong(`MAP_DATUM: got ${JSON.stringify(datum)}, takes wgs84, gcj02`)
  if (!['{x}', '{z}'].every(part => text.includes(part)) || !/\{-?y\}/.test(text))
    wrong(`MAP_TILES: has no {x}, {z} and {y} or {-y}; ${TAKES}`)
  if (text.includes('{s}')) wrong('MAP_TILES: {s} is not known here; name one server')
  if (text.includes('{key}') !== Boolean(key))
    wrong(key ? 'MAP_KEY: MAP_TILES has no {key} to put it' : 'MAP_KEY: missing; MAP_TILES has {key}')
  const layer = text.replaceAll('{key}', encodeURIComponent(key ?? ''))
  // The address may hold a key: it is not repeated.
  if (originOf(layer, '') === null) wrong(`MAP_TILES: not an address of http or https; ${TAKES}`)
  return {
    source: 'own',
    datum: datum === 'gcj02' ? 'gcj02' : 'wgs84',
    layers: [layer],
    servers: [''],
    levels: LEVELS,
    note,
  }
}

/** Scheme, host and port of a tile; null where a content policy could not name them. */
function originOf(layer: string, server: string): string | null {
  const address = layer.replaceAll('{s}', server)
  // Braces are no part of a host: a tile's number has to come after it.
  if (!URL.canParse(address)) return null
  const { protocol, hostname, origin, username } = new URL(address)
  return /^https?:$/.test(protocol) && /^[a-z0-9.-]+$/.test(hostname) && username === '' ? origin : null
}

/** The hosts that serve the tiles, as origins: the Content-Security-Policy has to allow the console exactly these. */
export function originsOfTiles({ layers, servers }: Pick<MapTiles, 'layers' | 'servers'>): string[] {
  const origins = layers.flatMap(layer => servers.flatMap(server => originOf(layer, server) ?? []))
  return [...new Set(origins)]
}
