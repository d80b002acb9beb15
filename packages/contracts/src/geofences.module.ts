import type { ModuleFacts } from './module.ts'

export const geofencesModule = {
  errors: {
    'geofence.not_found': 404,
    'geofence.limit': 409,
    'geofence.name_taken': 409,
    'geofence.invalid': 422,
    'geofence.radius': 422,
    'geofence.lng': 422,
    'geofence.lat': 422,
    'geofence.unused': 422,
    'geofence.points_few': 422,
    'geofence.points_many': 422,
    'geofence.twice': 422,
    'geofence.crosses': 422,
    'geofence.pole': 422,
    'geofence.flat': 422,
  },
  found: ['geofence'],
} as const satisfies ModuleFacts
