import { AppError } from '../../lib/errors.ts'
import { LnsError } from './lns.port.ts'

/** An error of the request, with the network server's own words. @param gone what it means that the object is not there */
export function asAppError(error: unknown, gone: 'lora_profile.gone' | 'lora_gateway.gone' | 'lora.answer'): unknown {
  if (!(error instanceof LnsError)) return error
  const params = { text: [error.code, error.text].filter(Boolean).join(' ') }
  switch (error.fault) {
    case 'gone':
      return new AppError(gone, { params })
    case 'exists':
    case 'refused':
      return new AppError('lora.refused', { params })
    default:
      return new AppError(`lora.${error.fault}`, { params })
  }
}

/** A field that cannot be as it is. */
export function wrong(field: string, code: AppError['code'], params: Record<string, unknown> = {}): never {
  throw new AppError(code, { params, fields: { [field]: { code, params } } })
}
