"""Audits: the mistakes of a run compared with every bound, and the assumptions of each bound."""

from thresher.theory.audit.arrays import audit
from thresher.theory.audit.files import audit_files
from thresher.theory.audit.result import Audit, Favour, Least, Row, RunCounts
from thresher.theory.audit.shards import audit_shards

__all__ = ["Audit", "Favour", "Least", "Row", "RunCounts", "audit", "audit_files", "audit_shards"]
