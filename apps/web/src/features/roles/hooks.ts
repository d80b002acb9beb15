import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryOf } from '@thingwright/contracts'
import type { RoleView, rolesContract } from '@thingwright/contracts/roles.contract'
import { useCallback } from 'react'
import { call } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const ROLES = ['roles'] as const
const roleKey = (id: string) => ['roles', 'get', id] as const

export const fetchRoles: FetchPage<RoleView> = ({ filters, ...input }, signal) =>
  call('roles.list', { query: { ...input, ...filters } as QueryOf<(typeof rolesContract)['list']>, signal })

export function useRole(id: string) {
  return useQuery({ queryKey: roleKey(id), queryFn: ({ signal }) => call('roles.get', { params: { id }, signal }) })
}

/** The menu and the rights a role can be given. */
export function useChoices() {
  return useQuery({ queryKey: ['roles', 'choices'], queryFn: ({ signal }) => call('roles.menus', { signal }) })
}

/** All roles by name: a company has few. */
export function useAllRoles() {
  return useQuery({
    queryKey: ['roles', 'all'],
    queryFn: ({ signal }) => call('roles.list', { query: { limit: 100 }, signal }),
  })
}

/** Takes over a role as the server returned it, and lets lists be read anew. */
export function useRoleChanged(): (role?: RoleView) => void {
  const client = useQueryClient()
  return useCallback(
    role => {
      if (role) client.setQueryData(roleKey(role.id), role)
      void client.invalidateQueries({ queryKey: listKey(ROLES) })
      void client.invalidateQueries({ queryKey: ['roles', 'all'] })
    },
    [client],
  )
}
