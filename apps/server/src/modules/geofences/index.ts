export { type GeofenceTransfer, geofenceTransfer } from './fence-transfer.ts'
export { demoFenceIds, seedDemoFences } from './geofences.demo.ts'
export { geofencesModule } from './geofences.module.ts'
