using System.Data;

namespace Loxo.Tests;

/// <summary>A parameter by itself; no server is asked.</summary>
public sealed class PgParameterTests
{
    [TestCase("@id", "id")]
    [TestCase(":id", "id")]
    [TestCase("id", "id")]
    [TestCase(null, "")]
    public void A_mark_in_front_of_its_name_is_kept_and_does_not_count(string? given, string name)
    {
        var parameter = new PgParameter(given, 1);
        Assert.That((parameter.ParameterName, parameter.Name.ToString()), Is.EqualTo((given ?? "", name)));
    }

    [Test]
    public void Its_types_follow_from_its_value_until_one_is_set()
    {
        var parameter = new PgParameter { Value = 5L };
        Assert.That((parameter.PgDbType, parameter.DbType, parameter.DataTypeName), Is.EqualTo((PgDbType.Bigint, DbType.Int64, "bigint")));
        parameter.DbType = DbType.Int16;
        Assert.That((parameter.PgDbType, parameter.DbType), Is.EqualTo((PgDbType.Smallint, DbType.Int16)));
        parameter.PgDbType = PgDbType.Integer;
        Assert.That((parameter.PgDbType, parameter.DataTypeName), Is.EqualTo((PgDbType.Integer, "integer")));
        parameter.ResetDbType();
        Assert.That(parameter.PgDbType, Is.EqualTo(PgDbType.Bigint));
    }

    [Test]
    public void A_size_or_direction_that_there_is_not_is_refused()
    {
        var parameter = new PgParameter();
        Assert.Catch<ArgumentException>(() => parameter.Size = -2);
        Assert.Catch<ArgumentException>(() => parameter.Direction = (ParameterDirection)99);
        Assert.That((parameter.Size, parameter.Direction), Is.EqualTo((0, ParameterDirection.Input)));
    }

    [TestCase(ParameterDirection.Input, true, false)]
    [TestCase(ParameterDirection.InputOutput, true, true)]
    [TestCase(ParameterDirection.Output, false, true)]
    [TestCase(ParameterDirection.ReturnValue, false, true)]
    public void Its_direction_says_whether_it_is_sent_and_whether_it_is_set(ParameterDirection direction, bool isInput, bool isOutput)
    {
        var parameter = new PgParameter { Direction = direction };
        Assert.That((parameter.IsInput, parameter.IsOutput), Is.EqualTo((isInput, isOutput)));
    }

    [Test]
    public void A_copy_belongs_to_no_collection_and_changes_alone()
    {
        var parameter = new PgCommand().Parameters.Add(new PgParameter("id", PgDbType.Integer) { Value = 1, SourceColumn = "id" });
        var copy = parameter.Clone();
        Assert.That((copy.Collection, copy.ParameterName, copy.PgDbType, copy.Value, copy.SourceColumn),
            Is.EqualTo((default(PgParameterCollection), "id", PgDbType.Integer, (object)1, "id")));
        copy.SourceColumn = "other";
        Assert.That(parameter.SourceColumn, Is.EqualTo("id"));
    }

    [Test]
    public void A_typed_parameter_has_one_value_under_both_names()
    {
        var parameter = new PgParameter<int>("id", 5);
        Assert.That((parameter.TypedValue, parameter.Value, parameter.PgDbType), Is.EqualTo((5, (object)5, PgDbType.Integer)));
        parameter.Value = 6;
        Assert.That(parameter.TypedValue, Is.EqualTo(6));
        parameter.Value = DBNull.Value;
        Assert.That(parameter.IsNull, Is.True);
        parameter.TypedValue = 7;
        Assert.That((parameter.IsNull, parameter.Value), Is.EqualTo((false, (object)7)));
        Assert.Throws<InvalidCastException>(() => parameter.Value = "7");
    }
}
