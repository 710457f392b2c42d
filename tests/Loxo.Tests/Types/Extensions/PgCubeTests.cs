namespace Loxo.Tests.Types;

public class PgCubeTests
{
    [TestCase("(1, 2)")]
    [TestCase("(1, 2),(3, 4)")]
    [TestCase("(3),(1)")]
    [TestCase("()")]
    [TestCase("(1e+15)")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgCube.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgCube.Parse(text.AsSpan()), Is.EqualTo(PgCube.Parse(text)));
    }

    [TestCase("")]
    [TestCase("(1")]
    [TestCase("(1,)")]
    [TestCase("(1),")]
    [TestCase("(1),(2,3)")]
    [TestCase("(1),(2),(3)")]
    [TestCase("[1]")]
    [TestCase("[(1)]")]
    [TestCase("(1e4300)")]
    [TestCase("-nan")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgCube.TryParse(text, null, out var none), Is.False);
        Assert.That(none, Is.EqualTo(default(PgCube)));
        Assert.That(() => PgCube.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgCube"));
        Assert.That(() => PgCube.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void It_has_two_corners()
    {
        var cube = new PgCube([3, 2], [1, 4]);
        Assert.That((cube.Dimensions, cube.IsPoint), Is.EqualTo((2, false)));
        Assert.That(cube.LowerLeft, Is.EqualTo(new[] { 1d, 2d }));
        Assert.That(cube.UpperRight, Is.EqualTo(new[] { 3d, 4d }));
    }

    [Test]
    public void Without_extent_it_is_a_point()
    {
        Assert.That(new PgCube([1, 2]).IsPoint, Is.True);
        Assert.That(new PgCube([1, 2], [1, 2]), Is.EqualTo(new PgCube([1, 2])));
        Assert.That(new PgCube([1, 2], [1, 2]).IsPoint, Is.True);
        Assert.That(default(PgCube), Is.EqualTo(PgCube.Parse("()")));
        Assert.That(default(PgCube).ToString(), Is.EqualTo("()"));
    }

    [Test]
    public void Its_constructors_mean_the_same_as_those_of_Npgsql()
    {
        Assert.That(new PgCube(1).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube(1).ToString()));
        Assert.That(new PgCube(1, 2).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube(1, 2).ToString()));
        Assert.That(new PgCube([1, 2, 3]).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube([1, 2, 3]).ToString()));
        Assert.That(new PgCube([1, 2], [3, 4]).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube([1, 2], [3, 4]).ToString()));
        Assert.That(new PgCube(new PgCube(1, 2), 3).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube(new NpgsqlTypes.NpgsqlCube(1, 2), 3).ToString()));
        Assert.That(new PgCube(new PgCube(1), 3, 4).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube(new NpgsqlTypes.NpgsqlCube(1), 3, 4).ToString()));
        Assert.That(new PgCube([1, 2, 3], [4, 5, 6]).ToSubset(2, 0, 0).ToString(), Is.EqualTo(new NpgsqlTypes.NpgsqlCube([1, 2, 3], [4, 5, 6]).ToSubset(2, 0, 0).ToString()));
        Assert.That(() => new PgCube(1, 2).ToSubset(1), Throws.TypeOf<IndexOutOfRangeException>());
        Assert.That(() => new PgCube(new PgCube(new double[100]), 1), Throws.ArgumentException);
    }

    [Test]
    public void It_is_equal_by_its_corners()
    {
        Assert.That(new PgCube([1], [2]) == PgCube.Parse("(1),(2)"), Is.True);
        Assert.That(new PgCube([1], [2]) != PgCube.Parse("(2),(1)"), Is.True);
        Assert.That(new PgCube([1], [2]).GetHashCode(), Is.EqualTo(PgCube.Parse("(1),(2)").GetHashCode()));
    }

    [Test]
    public void Corners_that_do_not_fit_are_refused()
    {
        Assert.That(() => new PgCube([1], [2, 3]), Throws.ArgumentException.With.Message.Contains("One corner has 1 dimensions and the other 2."));
        Assert.That(() => new PgCube(new double[101]), Throws.ArgumentException.With.Message.Contains("101"));
        Assert.That(PgCube.TryParse($"({string.Join(',', new double[101])})", null, out _), Is.False);
        Assert.That(new PgCube(new double[100]).Dimensions, Is.EqualTo(100));
        Assert.That(() => new PgCube((IEnumerable<double>)null!), Throws.ArgumentNullException);
        Assert.That(() => new PgCube(null!, []), Throws.ArgumentNullException);
        Assert.That(() => new PgCube([], null!), Throws.ArgumentNullException);
    }
}
