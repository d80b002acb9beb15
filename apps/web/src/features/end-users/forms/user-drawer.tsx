import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { END_USER_MEDIA_BYTES, USUAL_RIGHTS } from '@thingwright/contracts/end-users.words'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { formatBytes } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useSession } from '../../../lib/session.ts'
import { GroupSelect } from '../../../ui/group-tree/group-select.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { usePackages } from '../hooks.ts'
import { bytesOf, megabytesOf } from './media-quota.ts'
import { rightsField } from './rights-field.tsx'
import { UserSelect } from './user-select.tsx'

/** Makes or changes an end user. One who is made without a password gets a link that sets it. */
export function UserDrawer({
  user,
  onClose,
  onLink,
}: {
  user: EndUserView | null
  onClose: () => void
  onLink: (name: string, link: string, sentTo: string | null) => void
}) {
  const { t, i18n } = useTranslation('end-users')
  const create = useAct('endUsers.create')
  // After a conflict the list shows what is there now.
  const update = useAct('endUsers.update', { always: true })
  const { packages } = usePackages()
  const isCustomer = useSession(s => s.me?.kind === 'end_user')
  // What the person sees while he types; later news must not make his answer look as if he had seen them.
  const [seen] = useState(user)
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64, half: true },
      ...(seen
        ? []
        : [
            {
              kind: 'string',
              key: 'username',
              label: t('username'),
              help: t('usernameHelp'),
              required: true,
              minLength: 3,
              maxLength: 32,
              half: true,
            } satisfies Field,
          ]),
      { kind: 'string', key: 'phone', label: t('phone'), maxLength: 20, half: true },
      { kind: 'string', key: 'email', label: t('email'), maxLength: 254, half: true },
      ...(seen
        ? []
        : [
            {
              kind: 'enum',
              key: 'how',
              label: t('how'),
              required: true,
              display: 'cards',
              options: [
                { value: 'invite', label: t('hows.invite'), help: t('hows.inviteHelp') },
                { value: 'link', label: t('hows.link'), help: t('hows.linkHelp') },
                { value: 'password', label: t('hows.password'), help: t('hows.passwordHelp') },
              ],
            } satisfies Field,
            {
              kind: 'string',
              key: 'password',
              label: t('password'),
              required: true,
              secret: true,
              keepSpaces: true,
              minLength: 8,
              maxLength: 256,
              visible: values => values.how === 'password',
            } satisfies Field,
          ]),
      {
        kind: 'enum',
        key: 'packageId',
        label: t('package'),
        help: t('packageHelp'),
        options: [
          { value: '', label: t('ownRights') },
          ...packages.map(({ id, name, description }) => ({ value: id, label: name, help: description })),
        ],
      },
      rightsField(t, { visible: values => !values.packageId }),
      {
        kind: 'number',
        key: 'deviceQuota',
        label: t('deviceQuota'),
        help: t('deviceQuotaHelp'),
        integer: true,
        min: 0,
        max: 1_000_000,
        half: true,
      },
      {
        kind: 'number',
        key: 'mediaQuota',
        label: t('mediaQuota'),
        help: t('mediaQuotaHelp', { size: formatBytes(END_USER_MEDIA_BYTES) }),
        unit: 'MB',
        integer: true,
        min: 0,
        max: 1_048_576,
        half: true,
      },
      { kind: 'date', key: 'expiresAt', label: t('expiresAt'), half: true },
      {
        kind: 'custom',
        key: 'parentId',
        label: t('parent'),
        help: t('parentHelp'),
        render: input => (
          <UserSelect
            id={input.id}
            value={(input.value as string | null) ?? null}
            named={seen?.parent ?? null}
            without={seen?.id}
            disabled={input.disabled}
            onChange={input.onChange}
          />
        ),
      },
      ...(isCustomer
        ? []
        : [
            {
              kind: 'custom',
              key: 'groupId',
              label: t('group'),
              render: input => (
                <GroupSelect
                  kind="user"
                  id={input.id}
                  value={(input.value as string | null) ?? null}
                  onChange={input.onChange}
                  disabled={input.disabled}
                  placeholder={t('noGroup')}
                />
              ),
            } satisfies Field,
          ]),
      { kind: 'string', key: 'company', label: t('company'), maxLength: 128, cleared: '', half: true },
      { kind: 'string', key: 'contactName', label: t('contactName'), maxLength: 64, cleared: '', half: true },
      {
        kind: 'enum',
        key: 'locale',
        label: t('language'),
        required: true,
        half: true,
        display: 'segmented',
        options: [
          { value: 'zh', label: t('languages.zh') },
          { value: 'en', label: t('languages.en') },
        ],
      },
      { kind: 'string', key: 'address', label: t('address'), maxLength: 256, cleared: '' },
      { kind: 'string', key: 'remark', label: t('remark'), maxLength: 1000, rows: 3, cleared: '' },
    ],
    [t, seen, packages, isCustomer],
  )
  const initial = {
    name: seen?.name ?? '',
    username: '',
    phone: seen?.phone ?? '',
    email: seen?.email ?? '',
    how: 'invite',
    password: '',
    packageId: seen?.package?.id ?? '',
    rights: seen?.ownRights ?? (seen?.package ? [] : [...USUAL_RIGHTS]),
    deviceQuota: seen?.deviceQuota ?? null,
    mediaQuota: megabytesOf(seen?.mediaQuota),
    expiresAt: seen?.expiresAt ? Date.parse(seen.expiresAt) : null,
    parentId: seen?.parent?.id ?? null,
    groupId: seen?.groupId ?? null,
    company: seen?.company ?? '',
    contactName: seen?.contactName ?? '',
    locale: seen?.locale ?? (i18n.language === 'en' ? 'en' : 'zh'),
    address: seen?.address ?? '',
    remark: seen?.remark ?? '',
  }
  return (
    <FormDrawer
      title={seen ? t('editTitle', { name: seen.name }) : t('createTitle')}
      fields={fields}
      initial={initial}
      submitText={seen ? t('save') : t('create')}
      width={720}
      onClose={onClose}
      onSubmit={async ({ how, password, packageId, rights, expiresAt, mediaQuota, ...values }, newer) => {
        const shared = {
          ...values,
          mediaQuota: bytesOf(mediaQuota),
          packageId: packageId || null,
          rights: packageId ? null : (rights ?? []),
          expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt).toISOString() : null,
        }
        if (seen) {
          const body = { ...shared, version: newer ?? seen.version } as Body<'endUsers.update'>
          // Where he stands is sent only when it is another place: it moves everybody below him.
          if (body.parentId === (seen.parent?.id ?? null)) delete body.parentId
          await update.send({ params: { id: seen.id }, body })
          notify.success(t('saved'))
          return onClose()
        }
        const made = await create.send({
          body: {
            ...shared,
            ...(how === 'password' ? { password } : {}),
            ...(how === 'invite' ? { invite: true } : {}),
          } as Body<'endUsers.create'>,
        })
        if (made.inviteLink) return onLink(made.name, made.inviteLink, made.sentTo ?? null)
        notify.success(t('created', { name: made.name }))
        onClose()
      }}
    />
  )
}
