"""Lambda on one machine: functions run in worker processes of their own, behind Lambda's HTTP API."""
