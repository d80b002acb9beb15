import type { ModuleFacts } from './module.ts'

const READERS = ['operations', 'developer', 'read_only', 'support'] as const
const WRITERS = ['operations', 'developer'] as const

export const loraModule = {
  rights: ['lora:read', 'lora:write', 'lora:configure'],
  roles: {
    operations: ['lora:read', 'lora:write'],
    developer: ['lora:read', 'lora:write'],
    read_only: ['lora:read'],
    support: ['lora:read'],
  },
  pages: {
    '/ChirpStack/DeviceProfiles': [...READERS],
    '/ChirpStack/DeviceProfiles/add': [...WRITERS],
    '/ChirpStack/DeviceProfiles/edit': [...READERS],
    '/ChirpStack/Gateways': [...READERS],
    '/ChirpStack/Gateways/add': [...WRITERS],
    '/ChirpStack/Gateways/edit': [...READERS],
    '/ChirpStack/Gateways/regionInfo': [...READERS],
  },
  errors: {
    'lora_connection.not_found': 404,
    'lora_connection.name_taken': 409,
    'lora_connection.limit': 409,
    'lora_connection.address_blocked': 422,
    'lora_connection.address_path': 422,
    'lora_connection.password_missing': 422,
    'lora_connection.disabled': 409,
    'lora.credentials': 502,
    'lora.unavailable': 502,
    'lora.refused': 422,
    'lora.answer': 502,
    'lora_profile.not_found': 404,
    'lora_profile.gone': 409,
    'lora_profile.shared': 409,
    'lora_profile.region_mismatch': 422,
    'lora_profile.script_missing': 422,
    'lora_profile.measurement_twice': 422,
    'lora_gateway.not_found': 404,
    'lora_gateway.gone': 409,
    'lora_gateway.exists': 409,
    'lora_gateway.range': 422,
    'lora_region.unknown': 404,
    'lora_event.unauthorized': 401,
    'lora_event.unreadable': 422,
    'lora_event.busy': 503,
  },
  found: ['lora_gateway', 'lora_profile'],
} as const satisfies ModuleFacts
