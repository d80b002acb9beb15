/** Where timed tasks, scenes and calendars stand. */
export const TIMED_TASKS = '/manage/user/center/timedTasks'

export const taskAddress = (id: string) => `${TIMED_TASKS}?task=${id}`

/** The editor, for a device that is chosen already. */
export const newTaskAddress = (deviceId?: string) => `${TIMED_TASKS}?task=new${deviceId ? `&deviceId=${deviceId}` : ''}`
