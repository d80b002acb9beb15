import { type Static, Type } from 'typebox'
import { Empty, Id, IdParams, IsoTime, listOf, listQuery, Name, Nullable, Ok, Version, Words } from './common.ts'
import { MEDIA_KINDS } from './media.words.ts'
import { route } from './route.ts'

export const MediaKind = Words(MEDIA_KINDS)
export type MediaKind = Static<typeof MediaKind>

const MB = 1024 * 1024
/** Longest file of each kind, in bytes. */
export const MEDIA_LIMITS: Readonly<Record<MediaKind, number>> = {
  image: 20 * MB,
  svg: MB,
  audio: 50 * MB,
  video: 500 * MB,
  file: 200 * MB,
}
/** A picture has at most so many pixels. */
export const MEDIA_MAX_PIXELS = 64_000_000

const Tag = Type.String({ minLength: 1, maxLength: 32 })
const Tags = Type.Array(Tag, { maxItems: 20 })
const FileName = Type.String({ minLength: 1, maxLength: 200 })

export const MediaUse = Type.Object({
  objectType: Type.String(),
  objectId: Type.String(),
  label: Type.String({ description: 'Name of the object when it took the material into use' }),
  at: IsoTime,
})
export type MediaUse = Static<typeof MediaUse>

export const MediaView = Type.Object({
  id: Id,
  name: Type.String(),
  kind: MediaKind,
  contentType: Type.String(),
  size: Type.Integer({ description: 'Bytes' }),
  width: Nullable(Type.Integer({ description: 'Pixels, of images' })),
  height: Nullable(Type.Integer()),
  folderId: Nullable(Id),
  tags: Type.Array(Type.String()),
  public: Type.Boolean({ description: 'Its plain address works for everybody' }),
  uses: Type.Integer({ description: 'Objects that use it' }),
  sha256: Type.String({ description: 'Of the stored bytes, hexadecimal' }),
  url: Type.String({ description: 'Signed, good for some minutes; works without a header' }),
  thumbUrl: Nullable(Type.String({ description: 'A small picture, signed likewise' })),
  publicUrl: Nullable(Type.String({ description: 'Lasting path, while public' })),
  createdBy: Type.String({ description: 'User name' }),
  version: Type.Integer(),
  createdAt: IsoTime,
  updatedAt: IsoTime,
})
export type MediaView = Static<typeof MediaView>

export const MediaDetail = Type.Object({ ...MediaView.properties, usedBy: Type.Array(MediaUse) })
export type MediaDetail = Static<typeof MediaDetail>

export const MediaFolderView = Type.Object({
  id: Id,
  parentId: Nullable(Id),
  name: Type.String(),
  count: Type.Integer({ description: 'Materials directly in it' }),
  version: Type.Integer(),
  createdAt: IsoTime,
})
export type MediaFolderView = Static<typeof MediaFolderView>

const ofUser = {
  userId: Type.Optional({
    ...Id,
    description:
      'Those of this end user, where the caller sees him; without it those of the company, of an end user his own',
  }),
}

const filters = {
  kind: Type.Optional(MediaKind),
  folderId: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      anyOf: [{ const: 'root' }, { format: 'uuid' }],
      description: 'A folder, or root',
    }),
  ),
  tag: Type.Optional(Tag),
  public: Type.Optional(Words(['0', '1'])),
  used: Type.Optional(Words(['0', '1'])),
  ...ofUser,
}

const content = Type.Object(
  {
    expect: Type.Optional(MediaKind),
    version: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
)

export const mediaContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/media',
    tag: 'Materials',
    summary: 'Materials: images, drawings, sounds, videos and files',
    permission: 'media:read',
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(MediaView),
  }),
  export: route({
    method: 'GET',
    path: '/api/v1/media/export',
    tag: 'Materials',
    summary: 'The list as a table',
    permission: 'media:read',
    query: Type.Object({
      format: Words(['csv', 'xlsx']),
      q: listQuery.q,
      sort: listQuery.sort,
      ...filters,
    }),
    response: Empty,
    produces: 'text/csv',
  }),
  usage: route({
    method: 'GET',
    path: '/api/v1/media/usage',
    tag: 'Materials',
    summary: 'Room taken and room there is: of the company, of an end user his own',
    permission: 'media:read',
    query: Type.Object(ofUser),
    response: Type.Object({
      usedBytes: Type.Integer({
        description: 'The same bytes count once; of an end user each material counts in full',
      }),
      quotaBytes: Nullable(Type.Integer({ description: 'null: no limit' })),
      count: Type.Integer(),
      kinds: Type.Array(Type.Object({ kind: MediaKind, count: Type.Integer(), bytes: Type.Integer() })),
      tags: Type.Array(Type.Object({ tag: Type.String(), count: Type.Integer() })),
    }),
  }),
  get: route({
    method: 'GET',
    path: '/api/v1/media/{id}',
    tag: 'Materials',
    summary: 'A material and who uses it',
    permission: 'media:read',
    params: IdParams,
    response: MediaDetail,
  }),
  upload: route({
    method: 'POST',
    path: '/api/v1/media',
    tag: 'Materials',
    summary: 'Adds a material; its kind is read from its bytes',
    permission: 'media:write',
    audit: 'media.create',
    status: 201,
    body: Type.Object(
      {
        folderId: Type.Optional(Id),
        tags: Type.Optional(Tags),
        expect: Type.Optional(MediaKind),
      },
      { additionalProperties: false },
    ),
    upload: { maxBytes: MEDIA_LIMITS.video },
    response: MediaView,
  }),
  replace: route({
    method: 'PUT',
    path: '/api/v1/media/{id}/content',
    tag: 'Materials',
    summary: 'Gives a material other bytes of the same kind; whoever uses it shows the new ones',
    permission: 'media:write',
    audit: 'media.replace',
    params: IdParams,
    body: content,
    upload: { maxBytes: MEDIA_LIMITS.video },
    response: MediaView,
  }),
  update: route({
    method: 'PATCH',
    path: '/api/v1/media/{id}',
    tag: 'Materials',
    summary: 'Renames, moves, tags or publishes a material',
    permission: 'media:write',
    audit: 'media.update',
    params: IdParams,
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(FileName),
        folderId: Type.Optional(Nullable(Id)),
        tags: Type.Optional(Tags),
        public: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    response: MediaView,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/v1/media/{id}',
    tag: 'Materials',
    summary: 'Removes a material that nothing uses',
    permission: 'media:delete',
    audit: 'media.remove',
    params: IdParams,
    response: Ok,
  }),
  batch: route({
    method: 'POST',
    path: '/api/v1/media/batch',
    tag: 'Materials',
    summary: 'Moves or tags several materials',
    permission: 'media:write',
    audit: 'media.batch',
    body: Type.Object(
      {
        ids: Type.Array(Id, { minItems: 1, maxItems: 200, uniqueItems: true }),
        folderId: Type.Optional(Nullable(Id)),
        addTags: Type.Optional(Tags),
        removeTags: Type.Optional(Tags),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ changed: Type.Integer() }),
  }),
  removeMany: route({
    method: 'POST',
    path: '/api/v1/media/batch-remove',
    tag: 'Materials',
    summary: 'Removes several materials; those in use stay and are named',
    permission: 'media:delete',
    audit: 'media.remove_many',
    body: Type.Object(
      { ids: Type.Array(Id, { minItems: 1, maxItems: 200, uniqueItems: true }) },
      { additionalProperties: false },
    ),
    response: Type.Object({
      removed: Type.Integer(),
      kept: Type.Array(Type.Object({ id: Id, name: Type.String(), usedBy: Type.Array(MediaUse) })),
    }),
  }),
  folders: route({
    method: 'GET',
    path: '/api/v1/media-folders',
    tag: 'Materials',
    summary: 'The folder tree, flat, parents before children',
    permission: 'media:read',
    query: Type.Object(ofUser),
    response: Type.Object({
      items: Type.Array(MediaFolderView),
      rootCount: Type.Integer({ description: 'Materials in no folder' }),
    }),
  }),
  createFolder: route({
    method: 'POST',
    path: '/api/v1/media-folders',
    tag: 'Materials',
    summary: 'Adds a folder (at most 8 levels)',
    permission: 'media:write',
    audit: 'media_folder.create',
    status: 201,
    body: Type.Object({ name: Name, parentId: Type.Optional(Nullable(Id)) }, { additionalProperties: false }),
    response: MediaFolderView,
  }),
  updateFolder: route({
    method: 'PATCH',
    path: '/api/v1/media-folders/{id}',
    tag: 'Materials',
    summary: 'Renames or moves a folder',
    permission: 'media:write',
    audit: 'media_folder.update',
    params: IdParams,
    body: Type.Object(
      { version: Version, name: Type.Optional(Name), parentId: Type.Optional(Nullable(Id)) },
      { additionalProperties: false },
    ),
    response: MediaFolderView,
  }),
  removeFolder: route({
    method: 'DELETE',
    path: '/api/v1/media-folders/{id}',
    tag: 'Materials',
    summary: 'Removes an empty folder',
    permission: 'media:delete',
    audit: 'media_folder.remove',
    params: IdParams,
    response: Ok,
  }),
  serve: route({
    method: 'GET',
    path: '/media/{id}',
    tag: 'Materials',
    summary: 'The bytes: by a signed address, or by the plain one of a public material; ranges work',
    permission: 'public',
    params: IdParams,
    query: Type.Object({
      e: Type.Optional(Type.Integer({ description: 'Epoch seconds at which the address ends' })),
      s: Type.Optional(Type.String({ maxLength: 64, description: 'Signature' })),
      v: Type.Optional(Type.String({ maxLength: 16, description: 'Changes with the bytes, for caches' })),
      download: Type.Optional(Words(['0', '1'])),
    }),
    response: Empty,
    produces: 'application/octet-stream',
  }),
  thumb: route({
    method: 'GET',
    path: '/media/{id}/thumb',
    tag: 'Materials',
    summary: 'A small WebP of an image, likewise',
    permission: 'public',
    params: IdParams,
    query: Type.Object({
      e: Type.Optional(Type.Integer()),
      s: Type.Optional(Type.String({ maxLength: 64 })),
      v: Type.Optional(Type.String({ maxLength: 16 })),
    }),
    response: Empty,
    produces: 'image/webp',
  }),
}
