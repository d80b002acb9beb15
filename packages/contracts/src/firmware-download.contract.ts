import { Type } from 'typebox'
import { Empty } from './common.ts'
import { route } from './route.ts'

/** For devices: the address of `ota/notify`. */
export const firmwareDownloadContract = {
  download: route({
    method: 'GET',
    path: '/api/v1/firmware-downloads/{token}',
    tag: 'Firmware',
    summary:
      'The bytes of a package for the device that was told of it; takes Range and If-Range. Good for one notice of one update, while it is under way',
    permission: 'public',
    params: Type.Object({ token: Type.String({ minLength: 40, maxLength: 80, pattern: '^[A-Za-z0-9_-]+$' }) }),
    response: Empty,
    produces: 'application/octet-stream',
  }),
}
