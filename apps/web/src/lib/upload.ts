import { ApiError, ProofDeclinedError } from './api/api-error.ts'
import { headersToSend, INTERFACE_TYPE } from './api/header-kinds.ts'
import { call } from './api-client.ts'
import { locale, text } from './i18n.ts'
import { randomId } from './ids.ts'
import { askProof } from './proof.ts'
import { useSession } from './session.ts'

export interface UploadRequest {
  method: 'POST' | 'PUT'
  url: string
  /** Text fields of the form; a list becomes repeated fields. They go before the file. */
  fields: Record<string, string | readonly string[]>
  file: File
  signal: AbortSignal
  /** Bytes handed to the network so far, of the whole form. */
  onProgress: (loaded: number, total: number) => void
}

/**
 * Sends one file as a form with the header set of uploads and tells how far it is; `fetch` cannot. A token that ran out
 * is renewed once, and where the server wants to know that it is still the same person, he is asked and the file sent
 * again. Throws ApiError, or the signal's reason.
 */
export async function uploadFile<T>(request: UploadRequest): Promise<T> {
  const key = randomId()
  const send = async () => {
    const first = await sendOnce(request, key)
    if (first.status !== 401) return first
    // The shared way of asking renews the token, or ends the session with its own words.
    await call('identity.me')
    return sendOnce(request, key)
  }
  const answer = await send()
  const refusal = errorOf(answer)
  if (refusal?.code !== 'auth.proof_required') return readAnswer<T>(answer)
  const methods = Array.isArray(refusal.params.methods) ? (refusal.params.methods as string[]) : []
  if (!(await askProof(methods))) throw new ProofDeclinedError(refusal)
  return readAnswer<T>(await send())
}

interface Answer {
  status: number
  text: string
}

function sendOnce(request: UploadRequest, idempotencyKey: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const stop = () => {
      xhr.abort()
      reject(request.signal.reason)
    }
    if (request.signal.aborted) return reject(request.signal.reason)
    request.signal.addEventListener('abort', stop, { once: true })
    const done = () => request.signal.removeEventListener('abort', stop)
    xhr.open(request.method, request.url)
    const given = new Headers({ [INTERFACE_TYPE]: 'originalUpload', 'Idempotency-Key': idempotencyKey })
    headersToSend(given, { token: useSession.getState().token, locale: locale() }).forEach((value, name) => {
      xhr.setRequestHeader(name, value)
    })
    xhr.upload.onprogress = event => request.onProgress(event.loaded, event.lengthComputable ? event.total : 0)
    xhr.onload = () => {
      done()
      resolve({ status: xhr.status, text: xhr.responseText })
    }
    xhr.onerror = () => {
      done()
      reject(new ApiError({ status: 0, code: 'network.unreachable', message: text('common:error.unreachable') }))
    }
    const form = new FormData()
    for (const [name, value] of Object.entries(request.fields))
      for (const each of typeof value === 'string' ? [value] : value) form.append(name, each)
    form.append('file', request.file, request.file.name)
    xhr.send(form)
  })
}

function readAnswer<T>(answer: Answer): T {
  const error = errorOf(answer)
  if (error) throw error
  return parsedOf(answer) as T
}

function parsedOf({ text: body }: Answer): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    // A proxy's page: the status has to do.
    return {}
  }
}

/** What a refusal says; null for an answer that is none. */
function errorOf(answer: Answer): ApiError | null {
  const { status } = answer
  if (status >= 200 && status < 300) return null
  const parsed = parsedOf(answer)
  return new ApiError({
    status,
    code: typeof parsed.code === 'string' ? parsed.code : `http.${status}`,
    message: typeof parsed.message === 'string' ? parsed.message : text('common:error.status', { status }),
    requestId: typeof parsed.requestId === 'string' ? parsed.requestId : '',
    params: (parsed.params ?? {}) as Record<string, unknown>,
    fields: (parsed.fields ?? {}) as Record<string, { code: string; message: string }>,
  })
}
