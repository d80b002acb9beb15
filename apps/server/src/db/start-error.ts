/**
 * The installation cannot start, and its operator can do something about it.
 * The message is one clear line; main prints it without a stack and ends with 1.
 */
export class StartError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StartError'
  }
}

/** Whether main prints the message alone, without a stack. */
export function isStartError(error: unknown): error is StartError {
  return error instanceof StartError
}
