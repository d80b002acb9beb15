import type { allContracts } from './all-contracts.ts'

/** Every route of the product by feature and name, as types: what the console and the server agree on. */
export type Contracts = typeof allContracts

export type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteContract, RoutePermission } from './route.ts'
