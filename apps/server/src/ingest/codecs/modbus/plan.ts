import type { ReadFunction, Register } from './registers.ts'

/** One question to a slave, and the lines of the table that its answer fills. */
export interface ReadRequest {
  readonly slave: number
  readonly function: ReadFunction
  readonly address: number
  /** Registers, or coils with functions 1 and 2. */
  readonly quantity: number
  readonly registers: readonly Register[]
}

export interface PlanOptions {
  /** The device's own address, for lines that name none. */
  slave: number
  /** Unused registers that are read along rather than asking twice; 8. */
  gap?: number
  /** Most registers of one question; 125 (Modbus application protocol 1.1b3 §6.3). */
  maxRegisters?: number
  /** Most coils of one question; 2000 (§6.1). */
  maxBits?: number
}

/**
 * Smaller questions instead of one that a slave refused, because registers between its lines are not there or because it
 * takes fewer at once: first without gaps, then in halves. Empty: there is nothing to divide.
 */
export function divide(request: ReadRequest): ReadRequest[] {
  const { slave, function: code, registers } = request
  const first = registers[0]?.address
  if (registers.every(({ address }) => address === first)) return []
  const runs = planReads(registers, { slave, gap: 0 }).map(run => ({ ...run, slave, function: code }))
  if (runs.length > 1) return runs
  const middle = Math.ceil(registers.length / 2)
  return [registers.slice(0, middle), registers.slice(middle)].flatMap(half => planReads(half, { slave, gap: 0 }))
}

/** Register table → as few questions as possible: neighbours of one slave and function are read together. */
export function planReads(registers: readonly Register[], options: PlanOptions): ReadRequest[] {
  const { slave, gap = 8, maxRegisters = 125, maxBits = 2_000 } = options
  const sorted = [...registers].sort(
    (a, b) =>
      (a.slave ?? slave) - (b.slave ?? slave) ||
      a.function - b.function ||
      a.address - b.address ||
      // The longer first, so that a request never ends inside a value.
      b.size - a.size,
  )
  const requests: { slave: number; function: ReadFunction; address: number; end: number; registers: Register[] }[] = []
  for (const register of sorted) {
    const of = register.slave ?? slave
    const end = register.address + register.size
    const last = requests.at(-1)
    const most = register.function <= 2 ? maxBits : maxRegisters
    if (
      last &&
      last.slave === of &&
      last.function === register.function &&
      register.address <= last.end + gap &&
      Math.max(end, last.end) - last.address <= most
    ) {
      last.end = Math.max(last.end, end)
      last.registers.push(register)
    } else
      requests.push({ slave: of, function: register.function, address: register.address, end, registers: [register] })
  }
  return requests.map(({ end, ...request }) => ({ ...request, quantity: end - request.address }))
}
