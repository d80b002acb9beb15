import { send } from '../../lib/api/send.ts'
import { urlOf } from '../../lib/api-client.ts'
import { saveFile } from './csv.ts'
import type { ListInput } from './list-types.ts'

export type ExportFormat = 'csv' | 'xlsx'

/** The name the server gave a file (RFC 6266 with RFC 8187), or the one at hand. */
export function fileNameOf(disposition: string | null, otherwise: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (encoded === undefined) return otherwise
  try {
    return decodeURIComponent(encoded)
  } catch {
    return otherwise
  }
}

/** What the list shows, whole, as the server writes it: `GET {path}?format=…` with the same search, order and filters. */
export async function serverExport(path: string, format: ExportFormat, input: ListInput, name: string): Promise<void> {
  const [address = '', fixed = ''] = path.split('?')
  const { filters, q, sort } = input
  const query = { ...filters, q, sort, ...Object.fromEntries(new URLSearchParams(fixed)), format }
  const reply = await send({ method: 'GET', url: urlOf(address, {}, query), headers: new Headers() })
  saveFile(fileNameOf(reply.headers.get('content-disposition'), `${name}.${format}`), [await reply.blob()], '')
}
