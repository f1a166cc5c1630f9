"""The evaluator of synthesised roles decides as IAM does."""

from typing import Any

import pytest

from infra.permissions import allows, exports, resolve, statements

TABLE = "arn:aws:dynamodb:eu-north-1:123456789012:table/t"


def a_template(*given: dict[str, Any], attached: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {
        "Resources": {
            "Fn": {
                "Type": "AWS::Lambda::Function",
                "Properties": {"FunctionName": "rolecall-turn", "Role": {"Fn::GetAtt": ["Role", "Arn"]}},
            },
            "Role": {
                "Type": "AWS::IAM::Role",
                "Properties": {"Policies": [{"PolicyDocument": {"Statement": list(given)}}]},
            },
            "More": {
                "Type": "AWS::IAM::Policy",
                "Properties": {"Roles": [{"Ref": "Role"}], "PolicyDocument": {"Statement": list(attached)}},
            },
            "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "rolecall-q"}},
            "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {}},
        },
        "Outputs": {
            "Q": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}, "Export": {"Name": "data:Q"}},
            "Own": {"Value": "not exported"},
        },
    }


def allow(action: Any, resource: Any, **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def deny(action: Any, resource: Any, **more: Any) -> dict[str, Any]:
    return allow(action, resource, **more) | {"Effect": "Deny"}


def asked(template: dict[str, Any], action: str, resource: str = TABLE, **more: Any) -> bool:
    return allows(template, "rolecall-turn", action, resource, **more)


def test_nothing_is_allowed_without_a_statement() -> None:
    assert not asked(a_template(), "dynamodb:GetItem")


def test_inline_and_attached_statements_count() -> None:
    template = a_template(allow("dynamodb:GetItem", TABLE), attached=(allow(["dynamodb:Query"], [TABLE]),))
    assert asked(template, "dynamodb:GetItem")
    assert asked(template, "dynamodb:Query")
    assert not asked(template, "dynamodb:PutItem")


def test_actions_ignore_case_and_resources_do_not() -> None:
    template = a_template(allow("DynamoDB:getitem", TABLE))
    assert asked(template, "dynamodb:GetItem")
    assert not asked(template, "dynamodb:GetItem", TABLE.upper())


@pytest.mark.parametrize(
    ("pattern", "resource", "held"),
    [
        ("arn:aws:s3:::b/*", "arn:aws:s3:::b/a/b", True),
        ("arn:aws:s3:::b/*", "arn:aws:s3:::b", False),
        ("arn:aws:s3:::b?", "arn:aws:s3:::bc", True),
        ("arn:aws:s3:::b.", "arn:aws:s3:::bc", False),
        ("*", "arn:aws:s3:::anything", True),
    ],
)
def test_wildcards_are_iams(pattern: str, resource: str, held: bool) -> None:
    assert asked(a_template(allow("s3:Get*", pattern)), "s3:GetObject", resource) is held


def test_a_deny_wins_wherever_it_stands() -> None:
    assert not asked(a_template(allow("s3:*", "*"), attached=(deny("s3:GetObject", "*"),)), "s3:GetObject")
    assert asked(a_template(deny("s3:GetObject", "*"), allow("s3:*", "*")), "s3:PutObject")


def test_a_condition_never_helps() -> None:
    unsure = {"StringEquals": {"aws:SourceAccount": "1"}}
    assert not asked(a_template(allow("s3:GetObject", "*", Condition=unsure)), "s3:GetObject")
    template = a_template(allow("s3:GetObject", "*"), deny("s3:GetObject", "*", Condition=unsure))
    assert not asked(template, "s3:GetObject")


def test_resources_are_resolved_by_name_and_across_stacks() -> None:
    arn = "arn:aws:sqs:eu-north-1:123456789012:rolecall-q"
    own = a_template(allow("sqs:SendMessage", {"Fn::GetAtt": ["Queue", "Arn"]}))
    assert asked(own, "sqs:SendMessage", arn)
    other = a_template(allow("sqs:SendMessage", {"Fn::ImportValue": "data:Q"}))
    assert exports(own) == {"data:Q": arn}
    assert asked(other, "sqs:SendMessage", arn, names=exports(own))
    assert not asked(other, "sqs:SendMessage", arn)


def test_what_only_a_deploy_knows_must_be_given() -> None:
    joined = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":s3:::", {"Ref": "Bucket"}, "/*"]]}
    template = a_template(allow("s3:GetObject", joined))
    assert not asked(template, "s3:GetObject", "arn:aws:s3:::mine/key")
    assert asked(template, "s3:GetObject", "arn:aws:s3:::mine/key", names={"Bucket": "mine"})
    assert (
        resolve({"Fn::Sub": "${AWS::AccountId}-${Bucket}-${!kept}"}, template, {}) == "123456789012-{Bucket}-${!kept}"
    )


def test_what_it_cannot_judge_is_an_error() -> None:
    by_exclusion = {"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}
    with pytest.raises(ValueError, match="exclusion"):
        asked(a_template(by_exclusion), "s3:GetObject")
    with pytest.raises(ValueError, match="cannot resolve"):
        asked(a_template(allow("s3:GetObject", {"Fn::Base64": "x"})), "s3:GetObject")
    with pytest.raises(KeyError, match="rolecall-nobody"):
        statements(a_template(), "rolecall-nobody")
