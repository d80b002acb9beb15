export { menuKeysOf, permissionsOf, type RoleGrant, rolesOf } from './roles.service.ts'
