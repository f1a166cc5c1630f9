"""What a synthesised role allows: IAM's own decision, taken on a template instead of in AWS."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Template = Mapping[str, Any]
Names = Mapping[str, str]

ACCOUNT: Final = "123456789012"
REGION: Final = "eu-north-1"
_PSEUDO: Final[Names] = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::URLSuffix": "amazonaws.com",
}
_ARNS: Final = {
    "AWS::DynamoDB::Table": ("TableName", "dynamodb", "table/{}"),
    "AWS::Lambda::Function": ("FunctionName", "lambda", "function:{}"),
    "AWS::Logs::LogGroup": ("LogGroupName", "logs", "log-group:{}:*"),
    "AWS::SQS::Queue": ("QueueName", "sqs", "{}"),
    "AWS::StepFunctions::StateMachine": ("StateMachineName", "states", "stateMachine:{}"),
}
"""Resources whose ARN follows from their name: the property, the service, the rest of the ARN."""


def allows(template: Template, function_name: str, action: str, resource: str, *, names: Names | None = None) -> bool:
    """Say whether a function's role allows an action on a resource.

    Args:
        template: The stack that has the function.
        function_name: Its name in AWS.
        action: `service:Verb`.
        resource: An ARN in account ACCOUNT and REGION.
        names: Values that only a deploy knows, by logical id, `id.Attribute` or export (see `exports`). What
            is not given stands as `{id}`, which no real ARN equals.

    Raises:
        KeyError: the template has no such function.
    """
    verdict = False
    for statement in statements(template, function_name, names=names):
        if not _covers(statement, action, resource):
            continue
        if statement["Effect"] == "Deny":
            return False
        # A condition may or may not hold, so one on an Allow counts as not met, and one on a Deny as met.
        verdict = verdict or not statement["Condition"]
    return verdict


def statements(template: Template, function_name: str, *, names: Names | None = None) -> list[dict[str, Any]]:
    """All statements of a function's role, inline and attached, with resolved resources.

    Raises:
        KeyError: the template has no such function.
        ValueError: a statement says NotAction or NotResource.
    """
    role = _role_of(template, function_name)
    return [_plain(statement, template, names or {}) for statement in _statements_of(template, role)]


def exports(*templates: Template, names: Names | None = None) -> dict[str, str]:
    """What stacks export to one another, by export name, beside the names given."""
    found: dict[str, str] = dict(names or {})
    for template in templates:
        for output in template.get("Outputs", {}).values():
            if "Export" in output:
                found[str(output["Export"]["Name"])] = resolve(output["Value"], template, found)
    return found


def resolve(value: Any, template: Template, names: Names) -> str:
    """Render an intrinsic function as text."""
    match value:
        case {"Ref": str(name)}:
            return _named(name, template, names)
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return _named(f"{name}.{attribute}", template, names)
        case {"Fn::ImportValue": name}:
            export = resolve(name, template, names)
            return names.get(export, f"{{{export}}}")
        case {"Fn::Join": [str(between), list(parts)]}:
            return between.join(resolve(part, template, names) for part in parts)
        case {"Fn::Sub": str(text)}:
            return re.sub(r"\$\{([^!}][^}]*)\}", lambda found: _named(found[1], template, names), text)
        case dict():
            raise ValueError(f"cannot resolve {value}")
    return str(value)


def _named(name: str, template: Template, names: Names) -> str:
    if name in names or name in _PSEUDO:
        return names.get(name) or _PSEUDO[name]
    return _arn_of(name.removesuffix(".Arn"), template, names) or f"{{{name}}}"


def _arn_of(logical_id: str, template: Template, names: Names) -> str | None:
    resource = template["Resources"].get(logical_id, {})
    if resource.get("Type") not in _ARNS:
        return None
    named_by, service, rest = _ARNS[resource["Type"]]
    given = resource["Properties"].get(named_by)
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{rest.format(resolve(given, template, names))}" if given else None


def _role_of(template: Template, function_name: str) -> str:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function" and resource["Properties"].get("FunctionName") == function_name:
            return str(resource["Properties"]["Role"]["Fn::GetAtt"][0])
    raise KeyError(f"no function {function_name} in the template")


def _statements_of(template: Template, role: str) -> Iterator[Mapping[str, Any]]:
    for policy in template["Resources"][role]["Properties"].get("Policies", []):
        yield from policy["PolicyDocument"]["Statement"]
    for resource in template["Resources"].values():
        if resource["Type"] in {"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"} and {"Ref": role} in resource[
            "Properties"
        ].get("Roles", []):
            yield from resource["Properties"]["PolicyDocument"]["Statement"]


def _plain(statement: Mapping[str, Any], template: Template, names: Names) -> dict[str, Any]:
    if {"NotAction", "NotResource"} & statement.keys():
        raise ValueError(f"a statement by exclusion: {statement}")
    return {
        "Effect": statement["Effect"],
        "Action": _several(statement["Action"]),
        "Resource": [resolve(resource, template, names) for resource in _several(statement["Resource"])],
        "Condition": statement.get("Condition", {}),
    }


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _covers(statement: Mapping[str, Any], action: str, resource: str) -> bool:
    return any(_matches(pattern.lower(), action.lower()) for pattern in statement["Action"]) and any(
        _matches(pattern, resource) for pattern in statement["Resource"]
    )


def _matches(pattern: str, value: str) -> bool:
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(expression, value, re.DOTALL) is not None
