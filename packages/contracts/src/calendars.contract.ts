import { Type } from 'typebox'
import { IdParams, Ok, Version } from './common.ts'
import { route } from './route.ts'
import { CalendarInput, CalendarView } from './timed-task-schemas.ts'

const base = '/api/v1/calendars'
const tag = 'Calendars'

export const calendarsContract = {
  list: route({
    method: 'GET',
    path: base,
    tag,
    summary: 'Calendars of the company by name: free days and worked weekends',
    permission: 'timed-task:read',
    response: Type.Object({ items: Type.Array(CalendarView) }),
  }),
  create: route({
    method: 'POST',
    path: base,
    tag,
    summary: 'Adds a calendar',
    permission: 'timed-task:write',
    audit: 'calendar.create',
    status: 201,
    body: CalendarInput,
    example: { body: { name: '2027', holidays: ['2027-01-01'], workdays: [] } },
    response: CalendarView,
  }),
  update: route({
    method: 'PUT',
    path: `${base}/{id}`,
    tag,
    summary: 'Changes a calendar; the next runs of its tasks are worked out anew',
    permission: 'timed-task:write',
    audit: 'calendar.update',
    params: IdParams,
    body: Type.Object({ ...CalendarInput.properties, version: Version }, { additionalProperties: false }),
    example: {
      params: { id: '{{create.id}}' },
      body: {
        name: '2027',
        holidays: ['2027-01-01', '2027-05-01'],
        workdays: ['2027-05-08'],
        version: '{{create.version}}',
      },
    },
    response: CalendarView,
  }),
  remove: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    tag,
    summary: 'Removes a calendar that no timed task goes by',
    permission: 'timed-task:write',
    audit: 'calendar.remove',
    params: IdParams,
    example: { params: { id: '{{create.id}}' } },
    response: Ok,
  }),
}
