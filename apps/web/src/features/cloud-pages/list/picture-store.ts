import type { MediaView } from '@thingwright/contracts/media.contract'
import { ApiError } from '../../../lib/api/api-error.ts'
import { call } from '../../../lib/api-client.ts'
import { uploadFile } from '../../../lib/upload.ts'
import type { PictureStore } from './page-file.ts'

/** The signed-in person's own materials. */
export const pictureStore: PictureStore = {
  async get(id) {
    try {
      return await call('media.get', { params: { id } })
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return undefined
      throw error
    }
  },
  async named(name) {
    const { items } = await call('media.list', { query: { q: name, limit: 100 } })
    return items.filter(each => each.name === name)
  },
  async read(url) {
    const reply = await fetch(url)
    return reply.ok ? reply.blob() : undefined
  },
  async add(file) {
    const { id, version } = await uploadFile<MediaView>({
      method: 'POST',
      url: '/api/v1/media',
      fields: {},
      file,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
    await call('media.update', { params: { id }, body: { version, public: true } })
    return { id }
  },
}
