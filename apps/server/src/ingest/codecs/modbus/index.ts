/** Modbus as pure functions: register table → questions, answers → values, values → writes, and the frames of both. */

export { type Adu, buildRtu, buildTcp, type ParsedAdu, parseRtu, parseTcp } from './adu.ts'
export { type DecodedRegisters, dataBytes, decodeRegisters } from './decode.ts'
export { type EncodedWrite, encodeWrite, type WriteFunction, type WriteRequest } from './encode.ts'
export { type ParsedResponse, parseResponse, readPdu, writePdu } from './pdu.ts'
export { divide, type PlanOptions, planReads, type ReadRequest } from './plan.ts'
export { compileRegisters, type ReadFunction, type Register } from './registers.ts'
