import type { MediaView } from '@thingwright/contracts/media.contract'
import { readScene, type Scene, type SceneProblem } from '@thingwright/scene'
import { materialIdsIn, withMaterials } from '@thingwright/scene/materials'
import type { FileBindings } from './page-bindings.ts'

/** A material that a page shows, as it is in the file of the page. */
export interface FilePicture {
  /** By which the page names it: of the company that exported it. */
  id: string
  name: string
  type: string
  /** Hexadecimal; absent where the exporter only saw its public address. */
  sha256?: string
  /** Base64; null: it could not be read, or was too large. */
  content: string | null
}

/** A page that was exported by hand; files of older versions have no pictures, and name no devices. */
export interface PageFile extends Partial<FileBindings> {
  name: string
  scene: Scene
  pictures?: FilePicture[]
}

/** A picture that did not come, and why in the server's words; '' where the file has none. */
export interface MissingPicture {
  name: string
  reason: string
}

/** Materials of the person, as the server has them. */
export interface PictureStore {
  /** undefined: not there, or not for this person. */
  get(id: string): Promise<Pick<MediaView, 'name' | 'contentType' | 'sha256' | 'size' | 'url'> | undefined>
  named(name: string): Promise<Pick<MediaView, 'id' | 'sha256' | 'public'>[]>
  /** undefined: nothing is there. */
  read(url: string): Promise<Blob | undefined>
  /** Adds one that visitors may load. */
  add(file: File): Promise<{ id: string }>
}

/** Bytes of all pictures of one file: it is put together in the browser. */
export const MOST_OF_PICTURES = 40 * 1024 * 1024
const CHUNK = 0x8000

/** The page with the pictures that it shows. */
export async function packPage(
  page: { name: string; scene: Scene },
  store: PictureStore,
): Promise<{ name: string; scene: Scene; pictures: FilePicture[] }> {
  const pictures: FilePicture[] = []
  let room = MOST_OF_PICTURES
  for (const id of materialIdsIn(page.scene)) {
    const known = await store.get(id)
    // A person who does not see the material loads it as visitors of the page do.
    const blob = known && known.size > room ? undefined : await store.read(known ? known.url : `/media/${id}`)
    const fits = blob !== undefined && blob.size <= room
    if (fits) room -= blob.size
    pictures.push({
      id,
      name: known?.name ?? (blob ? nameOf(id, blob.type) : nameIn(page.scene, id)),
      type: known?.contentType ?? blob?.type ?? '',
      ...(known ? { sha256: known.sha256 } : {}),
      content: fits ? toBase64(new Uint8Array(await blob.arrayBuffer())) : null,
    })
  }
  return { ...page, pictures }
}

/** What a person chose to import. */
export interface ReadFile {
  /** The document as it stands in the file. */
  content: unknown
  /** null: it cannot be read here; the server says why. */
  scene: Scene | null
  /** What is wrong with it first. */
  problem: SceneProblem | null
  pictures: FilePicture[]
  bindings: FileBindings
}

/** A parsed file: the export of a page, or a document alone. */
export function readPageFile(file: unknown): ReadFile {
  const fields = (file ?? {}) as Record<'scene' | 'pictures' | keyof FileBindings, unknown>
  const content = fields.scene ?? file
  const { scene, problems } = readScene(content)
  const list = <T>(value: unknown, of: (each: unknown) => T | undefined) =>
    Array.isArray(value) ? value.flatMap(each => of(each) ?? []) : []
  return {
    content,
    scene,
    problem: problems[0] ?? null,
    pictures: list(fields.pictures, pictureOf),
    bindings: {
      devices: list(fields.devices, each => textsOf(each, ['id', 'name', 'deviceNo', 'productKey', 'productName'])),
      cameras: list(fields.cameras, each => {
        const camera = textsOf(each, ['id', 'name'])
        const { serial, channelNo } = each as Record<string, unknown>
        return (
          camera && {
            ...camera,
            serial: typeof serial === 'string' ? serial : null,
            channelNo: typeof channelNo === 'number' ? channelNo : null,
          }
        )
      }),
      roles: list(fields.roles, each => textsOf(each, ['id', 'name'])),
    },
  }
}

/** Texts of an object, each of them there. */
function textsOf<K extends string>(value: unknown, keys: readonly K[]): Record<K, string> | undefined {
  const fields = (value ?? {}) as Record<string, unknown>
  const texts = keys.flatMap(key => {
    const text = fields[key]
    return typeof text === 'string' ? [[key, text.slice(0, 200)] as const] : []
  })
  return texts.length === keys.length ? (Object.fromEntries(texts) as Record<K, string>) : undefined
}

function pictureOf(value: unknown): FilePicture | undefined {
  const { id, name, type, sha256, content } = (value ?? {}) as Partial<Record<keyof FilePicture, unknown>>
  if (typeof id !== 'string' || typeof name !== 'string' || name === '' || typeof type !== 'string') return undefined
  return {
    ...{ id: id.toLowerCase(), name: name.slice(0, 200), type },
    ...(typeof sha256 === 'string' ? { sha256 } : {}),
    content: typeof content === 'string' ? content : null,
  }
}

/** Names of the pictures that the page shows and its file does not have. */
export function withoutContent({ scene, pictures = [] }: PageFile): string[] {
  const found = new Map(pictures.map(each => [each.id, each]))
  return materialIdsIn(scene).flatMap(id => {
    const picture = found.get(id)
    return picture?.content == null ? [picture?.name ?? nameIn(scene, id)] : []
  })
}

/**
 * Makes the page, then brings its pictures into the person's own materials, as far as his quota goes. One that he has
 * already is not brought again; one that does not come is taken out of the page and named.
 * @param create makes the page
 * @param save stores it again with its pictures
 */
export async function bringPage<P>(
  file: PageFile,
  store: PictureStore,
  { create, save }: { create(scene: Scene): Promise<P>; save(page: P, scene: Scene): Promise<unknown> },
): Promise<{ page: P; missing: MissingPicture[] }> {
  const pictures = new Map((file.pictures ?? []).map(each => [each.id, each]))
  const own = new Map<string, string>()
  const ids = materialIdsIn(file.scene)
  for (const id of ids) {
    const found = await ownOf(id, pictures.get(id), store)
    if (found !== undefined) own.set(id, found)
  }
  // The page first: where its address is taken nothing was uploaded for nothing.
  const page = await create(withMaterials(file.scene, id => own.get(id)))
  const missing: MissingPicture[] = []
  const before = own.size
  for (const id of ids) {
    if (own.has(id)) continue
    const picture = pictures.get(id)
    try {
      if (picture?.content == null) missing.push({ name: picture?.name ?? nameIn(file.scene, id), reason: '' })
      else own.set(id, (await store.add(fileOf(picture, picture.content))).id)
    } catch (error) {
      missing.push({ name: picture!.name, reason: error instanceof Error ? error.message : '' })
    }
  }
  if (own.size > before)
    await save(
      page,
      withMaterials(file.scene, id => own.get(id)),
    )
  return { page, missing }
}

async function ownOf(id: string, picture: FilePicture | undefined, store: PictureStore): Promise<string | undefined> {
  if (!picture) return (await store.get(id)) && id
  const named = await store.named(picture.name)
  return named.find(
    each => each.id === id || (each.public && picture.sha256 !== undefined && each.sha256 === picture.sha256),
  )?.id
}

const nameOf = (id: string, type: string) => {
  const [, ending] = /^(?:image|video)\/([a-z0-9]+)/.exec(type) ?? []
  return `${id.slice(0, 8)}${ending ? `.${ending}` : ''}`
}

/** A picture whose name is not known is called after the first element that shows it. */
function nameIn(scene: Scene, id: string): string {
  const node = scene.nodes.find(each => materialIdsIn(each).includes(id))
  return node?.name || nameOf(id, '')
}

function fileOf({ name, type }: FilePicture, content: string): File {
  return new File([Uint8Array.from(atob(content), letter => letter.charCodeAt(0))], name, { type })
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}
