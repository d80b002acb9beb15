import type { Cause, LogRow } from './facts.ts'

/** The step at which a refused message ended, and what the doctor calls it. */
const CAUSES: Record<string, { step: 'frames' | 'parsing' | 'model'; cause: Cause }> = {
  topic_unknown: { step: 'frames', cause: 'topic_wrong' },
  too_large: { step: 'frames', cause: 'message_too_large' },
  frame_too_long: { step: 'frames', cause: 'frame_too_long' },
  frame_incomplete: { step: 'frames', cause: 'framing_wrong' },
  modbus_no_answer: { step: 'frames', cause: 'bus_silent' },
  modbus_exception: { step: 'frames', cause: 'bus_exception' },
  rate_limited: { step: 'frames', cause: 'flow_limited' },
  json_invalid: { step: 'parsing', cause: 'payload_not_json' },
  payload_shape: { step: 'parsing', cause: 'format_mismatch' },
  format_mismatch: { step: 'parsing', cause: 'format_mismatch' },
  checksum: { step: 'parsing', cause: 'checksum_wrong' },
  script_error: { step: 'parsing', cause: 'script_failed' },
  script_timeout: { step: 'parsing', cause: 'script_failed' },
  script_memory: { step: 'parsing', cause: 'script_failed' },
  sub_device_unknown: { step: 'parsing', cause: 'sub_device_unknown' },
  property_unknown: { step: 'model', cause: 'property_unknown' },
  property_type: { step: 'model', cause: 'value_refused' },
  property_range: { step: 'model', cause: 'value_refused' },
  text_not_storable: { step: 'model', cause: 'value_refused' },
  number_not_finite: { step: 'model', cause: 'value_refused' },
  not_storable: { step: 'model', cause: 'value_refused' },
  modbus_value: { step: 'model', cause: 'value_refused' },
  event_unknown: { step: 'model', cause: 'identifier_unknown' },
  service_unknown: { step: 'model', cause: 'identifier_unknown' },
}

export const causeOf = (row: LogRow) => (row.kind === 'refused' ? CAUSES[row.reason ?? ''] : undefined)

/** The row is a message of the device, taken or refused, and no line about its connection. */
export const isMessage = (row: LogRow): boolean =>
  row.kind === 'property' || row.kind === 'event' || row.kind === 'reply' || causeOf(row) !== undefined
