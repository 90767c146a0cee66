package overview

// Legend says what the states of rows mean.
const Legend = `States:
  failed           the request or its namespace cannot be resolved
  notJudged        the content of its catalog was not given
  unhealthy        what is installed, or its installation, failed
  pending          what OLM installs waits for something
  installing       OLM is installing; it is not stuck
  pendingApproval  NEXT comes once an InstallPlan is approved
  held             the operator refuses updates; NEXT may be made already, and wait
  deadEnd          nothing in the channel leads on from what is installed
  blocked          there is an update, which cannot be taken
  notInstalled     NEXT comes now
  updateAvailable  NEXT comes now
  current          at the head
`
