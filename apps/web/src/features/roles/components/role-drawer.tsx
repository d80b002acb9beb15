import type { RoleDataScope, RoleView } from '@thingwright/contracts/roles.contract'
import { Alert, Drawer } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Body as BodyOf } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useOnceFresh } from '../../../lib/server-state/use-once-fresh.ts'
import { scopeIsEmpty } from '../../../ui/rights/right-words.ts'
import { RightsMatrix } from '../../../ui/rights/rights-matrix.tsx'
import { ScopePicker } from '../../../ui/rights/scope-picker.tsx'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useChoices, useRole, useRoleChanged } from '../hooks.ts'
import { roleName } from '../role-words.ts'
import css from '../roles.module.css'
import { MenuPicker } from './menu-picker.tsx'

const NEW_ROLE: Values = {
  name: '',
  ename: '',
  description: '',
  dataScope: { kind: 'all' },
  menuKeys: [],
  permissions: [],
  requireSecondFactor: false,
}

/** Makes a role, changes one, or shows a built-in one. */
export function RoleDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  return id === null ? <RoleForm shown={null} onClose={onClose} /> : <Existing id={id} onClose={onClose} />
}

function Existing({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('roles')
  const role = useRole(id)
  const first = useOnceFresh(role)
  if (role.error && !first)
    return (
      <Drawer open size={720} title={t('role')} onClose={onClose}>
        <ErrorState error={role.error} onRetry={() => void role.refetch()} />
      </Drawer>
    )
  return first ? <RoleForm shown={first} onClose={onClose} /> : null
}

type Body = BodyOf<'roles.create'>

function RoleForm({ shown, onClose }: { shown: RoleView | null; onClose: () => void }) {
  const { t } = useTranslation('roles')
  const choices = useChoices()
  const changed = useRoleChanged()
  const create = useAct('roles.create', { done: changed })
  const update = useAct('roles.update', { always: true, done: changed })
  // What the person sees while he works; later news must not make his answer look as if he had seen them.
  const [seen] = useState(shown)
  const readOnly = seen?.builtin === true
  const mayRule = useMay('security.setPolicy')
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64, half: true, disabled: readOnly },
      { kind: 'string', key: 'ename', label: t('ename'), maxLength: 64, cleared: '', half: true, disabled: readOnly },
      {
        kind: 'string',
        key: 'description',
        label: t('description'),
        maxLength: 500,
        rows: 2,
        cleared: '',
        disabled: readOnly,
      },
      {
        kind: 'custom',
        key: 'dataScope',
        label: t('dataScope'),
        help: t('dataScopeHelp'),
        check: value => (scopeIsEmpty(value as RoleDataScope) ? t('scopeEmpty') : null),
        render: input => (
          <ScopePicker
            value={input.value as RoleDataScope}
            onChange={input.onChange}
            disabled={input.disabled || readOnly}
          />
        ),
      },
      ...(mayRule
        ? [
            {
              kind: 'bool',
              key: 'requireSecondFactor',
              label: t('secondFactor'),
              help: t('secondFactorHelp'),
              disabled: readOnly,
            } satisfies Field,
          ]
        : []),
      {
        kind: 'custom',
        key: 'menuKeys',
        label: t('menus'),
        help: t('menusHelp'),
        render: input => (
          <MenuPicker
            entries={choices.data?.items ?? []}
            value={input.value as string[]}
            onChange={input.onChange}
            disabled={input.disabled || readOnly}
          />
        ),
      },
      {
        kind: 'custom',
        key: 'permissions',
        label: t('rights'),
        help: t('rightsHelp'),
        render: input => (
          <RightsMatrix
            all={choices.data?.permissions ?? []}
            value={input.value as string[]}
            onChange={input.onChange}
            disabled={input.disabled || readOnly}
          />
        ),
      },
    ],
    [t, choices.data, readOnly, mayRule],
  )
  if (choices.error)
    return (
      <Drawer open size={720} title={t('role')} onClose={onClose}>
        <ErrorState error={choices.error} onRetry={() => void choices.refetch()} />
      </Drawer>
    )
  if (!choices.data) return null
  const title = seen === null ? t('add') : t(readOnly ? 'viewTitle' : 'editTitle', { name: roleName(seen) })
  return (
    <FormDrawer
      width={720}
      title={title}
      fields={fields}
      initial={seen === null ? NEW_ROLE : valuesOf(seen)}
      submitText={readOnly ? t('close') : t('save')}
      intro={readOnly ? <Alert className={css.intro ?? ''} type="info" showIcon title={t('builtinHint')} /> : undefined}
      note={seen !== null && !readOnly && seen.memberCount > 0 ? t('atOnce', { count: seen.memberCount }) : undefined}
      onClose={onClose}
      onSubmit={async (values, newer) => {
        if (readOnly) return onClose()
        const body = values as unknown as Body
        if (seen === null) await create.send({ body })
        else {
          try {
            await update.send({ params: { id: seen.id }, body: { ...body, version: newer ?? seen.version } })
          } catch (error) {
            // Opened again, the form begins with what is there now.
            if (error instanceof ApiError && error.code === 'version.conflict')
              changed(error.params.current as RoleView)
            throw error
          }
        }
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}

function valuesOf({
  name,
  ename,
  description,
  dataScope,
  menuKeys,
  permissions,
  requireSecondFactor,
}: RoleView): Values {
  return { name, ename, description, dataScope, menuKeys, permissions, requireSecondFactor }
}
