"""How a subject came up over time."""

from bridge.api.feature import Feature
from bridge.features.timeline import course

FEATURE = Feature(
    "timeline",
    operations=(course.entity_course,),
    views=(course.entity_course_view,),
)
